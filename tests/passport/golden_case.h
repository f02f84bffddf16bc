// A golden case from tests/passport/golden: its inputs, and the bytes that golden/make.py, a second
// implementation, works out for them.
#pragma once

#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include <jobforge/json.h>

#include "base/crypto/hash.h"
#include "passport/compile.h"
#include "passport/sign.h"
#include "test_paths.h"

namespace jobforge::passport {

inline const std::vector<std::string> kGoldenCases{"minimal", "medium", "edge", "tiers"};

inline std::string file_text(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    if (!file) throw std::runtime_error("cannot read " + path);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

class GoldenCase final {
public:
    explicit GoldenCase(const std::string& name)
        : folder_(JOBFORGE_SOURCE_DIR "/tests/passport/golden/" + name + "/") {
        const std::string facts = file_text(folder_ + "facts.json");
        const Json documents = json("facts.json");
        for (const Json& fact : *documents.as_array()) {
            rules::Fact read;
            read.fact_type = text(fact, "fact_type");
            read.fact_key = text(fact, "fact_key");
            read.payload = *fact.find("payload");
            read.source_sha256 = sha256_hex(facts);
            inputs.facts.push_back(std::move(read));
        }
        inputs.dsl_source = file_text(folder_ + "rules.bpc");
        inputs.tests_source = file_text(folder_ + "tests.bpc");
        const Json product = json("product.json");
        inputs.product = {text(product, "battery_product_id"), text(product, "name"),
                          text(product, "sku")};
        const Json options = json("options.json");
        inputs.issue = {
            text(options, "issued_at"),         text(options, "tenant_id"),
            text(options, "passport_id"),       text(options, "passport_version_id"),
            text(options, "snapshot_id"),       text(options, "rule_package_version_id"),
            text(options, "compiler_build_id"), text(options, "signing_key_id")};
    }

    // The file's text without the newline that the house puts behind it.
    [[nodiscard]] std::string expected(const std::string& file) const {
        std::string found = file_text(folder_ + "expected/" + file);
        if (found.empty() || found.back() != '\n') throw std::runtime_error(file + ": no newline");
        found.pop_back();
        return found;
    }

    CompileInputs inputs;

private:
    [[nodiscard]] Json json(const std::string& file) const {
        return Json::parse(file_text(folder_ + file)).value();
    }
    static std::string text(const Json& value, const std::string& name) {
        return *value.find(name)->as_string();
    }

    std::string folder_;
};

// The test key that golden/make.py signs with: the bytes 0 to 31.
inline Ed25519PrivateKey golden_key() {
    std::string seed;
    for (int i = 0; i < 32; ++i) seed += static_cast<char>(i);
    return Ed25519PrivateKey::from_seed(seed).value();
}

}  // namespace jobforge::passport
