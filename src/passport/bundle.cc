#include "passport/bundle.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/json/canonical.h"
#include "passport/text_forms.h"

namespace jobforge::passport {
namespace {

constexpr std::string_view kVersion = "BPC-BUNDLE-1";
// Named by the format for the audit events of a version; to pass over them in silence would let
// anybody add events that look verified.
constexpr std::array<std::string_view, 3> kReserved{"audit", "inclusion", "head"};

Error wrong(std::string message) {
    return Error::of(ErrorCode::VALIDATION_ERROR, std::move(message));
}

using Names = std::initializer_list<std::string_view>;

Status exactly(const Json& value, std::string_view what, Names names) {
    if (!value.is_object()) {
        return wrong(fmt::format("{} is not an object.", what));
    }
    for (const auto& [name, member] : *value.as_object()) {
        if (std::ranges::find(names, name) == names.end()) {
            return wrong(
                fmt::format("{} has the member \"{}\", which it must not have.", what, name));
        }
    }
    for (const std::string_view name : names) {
        if (value.find(name) == nullptr) {
            return wrong(fmt::format("{} lacks the member \"{}\".", what, name));
        }
    }
    return ok_status();
}

Status texts(const Json& value, std::string_view what, Names names) {
    for (const std::string_view name : names) {
        if (!value.find(name)->is_string()) {
            return wrong(fmt::format("{}: \"{}\" is not a text.", what, name));
        }
    }
    return ok_status();
}

const std::string& text(const Json& value, std::string_view name) {
    return *value.find(name)->as_string();
}

Json fact_document(const rules::Fact& fact) {
    return Json::object({{"fact_key", fact.fact_key},
                         {"fact_type", fact.fact_type},
                         {"payload", fact.payload},
                         {"source_sha256", fact.source_sha256}});
}

// Takes the document apart; the first fault ends it.
class Reader final {
public:
    explicit Reader(const Json& document) : document_(document) {}

    [[nodiscard]] Result<Bundle> read() {
        for (const auto step :
             {&Reader::envelope, &Reader::facts, &Reader::product, &Reader::payload, &Reader::rules,
              &Reader::snapshot, &Reader::receipt}) {
            if (auto done = (this->*step)(); !done.ok()) {
                return std::move(done).error();
            }
        }
        bundle_.proof = member("proof");
        return std::move(bundle_);
    }

private:
    Status envelope() {
        for (const std::string_view name : kReserved) {
            if (document_.find(name) != nullptr) {
                return wrong(
                    fmt::format("The bundle has the member \"{}\", which is not supported by "
                                "this version of the program.",
                                name));
            }
        }
        if (auto members = exactly(document_, "The bundle",
                                   {"bundle_version", "facts", "payload", "product", "proof",
                                    "receipt", "rules", "snapshot"});
            !members.ok()) {
            return members;
        }
        if (member("bundle_version") != Json(kVersion)) {
            return wrong("bundle_version is not BPC-BUNDLE-1.");
        }
        return ok_status();
    }

    Status facts() {
        if (!member("facts").is_array()) {
            return wrong("facts is not a list.");
        }
        for (const Json& fact : *member("facts").as_array()) {
            if (auto members =
                    exactly(fact, "A fact", {"fact_key", "fact_type", "payload", "source_sha256"});
                !members.ok()) {
                return members;
            }
            if (auto kinds = texts(fact, "A fact", {"fact_key", "fact_type", "source_sha256"});
                !kinds.ok()) {
                return kinds;
            }
            if (!is_hash_text(text(fact, "source_sha256"))) {
                return wrong("A fact: source_sha256 is not 64 lower-case hex digits.");
            }
            rules::Fact& read = bundle_.facts.emplace_back();
            read.fact_type = text(fact, "fact_type");
            read.fact_key = text(fact, "fact_key");
            read.payload = *fact.find("payload");
            read.source_sha256 = text(fact, "source_sha256");
        }
        return ok_status();
    }

    Status product() {
        const Json& product = member("product");
        const Names names{"battery_product_id", "name", "sku"};
        if (auto members = exactly(product, "product", names); !members.ok()) {
            return members;
        }
        if (auto kinds = texts(product, "product", names); !kinds.ok()) {
            return kinds;
        }
        bundle_.product = {text(product, "battery_product_id"), text(product, "name"),
                           text(product, "sku")};
        return ok_status();
    }

    Status payload() {
        bundle_.payload = member("payload");
        if (auto members =
                exactly(bundle_.payload, "payload",
                        {"access", "compliance", "fields", "passport_version", "product"});
            !members.ok()) {
            return members;
        }
        if (*bundle_.payload.find("passport_version") != Json("BPC-PASSPORT-1")) {
            return wrong("passport_version is not BPC-PASSPORT-1.");
        }
        return ok_status();
    }

    Status rules() {
        const Json& rules = member("rules");
        const Names names{"dsl_source", "tests_source"};
        if (auto members = exactly(rules, "rules", names); !members.ok()) {
            return members;
        }
        if (auto kinds = texts(rules, "rules", names); !kinds.ok()) {
            return kinds;
        }
        bundle_.dsl_source = text(rules, "dsl_source");
        bundle_.tests_source = text(rules, "tests_source");
        return ok_status();
    }

    Status snapshot() {
        bundle_.snapshot = member("snapshot");
        if (auto members =
                exactly(bundle_.snapshot, "snapshot", {"facts", "snapshot_id", "snapshot_version"});
            !members.ok()) {
            return members;
        }
        if (*bundle_.snapshot.find("snapshot_version") != Json("BPC-SNAPSHOT-1")) {
            return wrong("snapshot_version is not BPC-SNAPSHOT-1.");
        }
        if (!bundle_.snapshot.find("facts")->is_array()) {
            return wrong("snapshot.facts is not a list.");
        }
        for (const Json& item : *bundle_.snapshot.find("facts")->as_array()) {
            const Names names{"fact_key", "fact_type", "payload_hash", "source_sha256"};
            if (auto members = exactly(item, "A fact of the snapshot", names); !members.ok()) {
                return members;
            }
            if (auto kinds = texts(item, "A fact of the snapshot", names); !kinds.ok()) {
                return kinds;
            }
            if (!is_hash_text(text(item, "source_sha256"))) {
                return wrong(
                    "A fact of the snapshot: source_sha256 is not 64 lower-case hex digits.");
            }
        }
        return ok_status();
    }

    Status receipt() {
        auto receipt = read_receipt(member("receipt"), Signed::yes);
        if (!receipt.ok()) {
            return std::move(receipt).error();
        }
        bundle_.receipt = std::move(*receipt);
        return ok_status();
    }

    [[nodiscard]] const Json& member(std::string_view name) const { return *document_.find(name); }

    const Json& document_;
    Bundle bundle_;
};

}  // namespace

Result<std::string> write_bundle(const CompileInputs& inputs, const Compiled& compiled,
                                 const Receipt& signed_receipt) {
    auto facts = rules::FactSet::make(inputs.facts);
    if (!facts.ok()) {
        return std::move(facts).error();
    }
    Json::Array fact_documents;
    for (const rules::Fact& fact : facts->all()) {
        fact_documents.push_back(fact_document(fact));
    }
    return canonical(Json::object({
        {"bundle_version", std::string(kVersion)},
        {"facts", std::move(fact_documents)},
        {"payload", Json::parse(compiled.payload).value()},
        {"product", inputs.product.document()},
        {"proof", Json::parse(compiled.proof).value()},
        {"receipt", signed_receipt.document()},
        {"rules",
         Json::object({{"dsl_source", inputs.dsl_source}, {"tests_source", inputs.tests_source}})},
        {"snapshot", Json::parse(compiled.snapshot).value()},
    }));
}

Result<Json> read_canonical_document(std::string_view bytes) {
    auto document = Json::parse(bytes);
    if (!document.ok()) {
        return document;
    }
    const auto form = canonical(*document);
    if (!form.ok()) {
        return form.error();
    }
    if (*form == bytes) {
        return document;
    }
    const auto [a, b] = std::ranges::mismatch(*form, bytes);
    return wrong(
        fmt::format("The file is not its own canonical form: byte {} differs.", a - form->begin()));
}

Result<Bundle> read_bundle(const Json& document) {
    return Reader(document).read();
}

}  // namespace jobforge::passport
