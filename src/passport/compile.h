// BPC-COMPILE-1: from facts, rules, product and ids to payload, proof and receipt.
//
// A pure function: no clock, randomness, environment, locale, thread or order of a hash table takes
// part. The same inputs give the same bytes on every machine, in whatever order the facts come.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include <jobforge/error.h>

#include "passport/receipt.h"
#include "rules/eval/facts.h"

namespace jobforge::rules {
struct CheckedPackage;
}  // namespace jobforge::rules

namespace jobforge::passport {

struct Product {
    std::string battery_product_id;  // UUID
    std::string name;
    std::string sku;

    // {"battery_product_id","name","sku"}, as payload and bundle have it.
    [[nodiscard]] Json document() const;
    friend bool operator==(const Product&, const Product&) = default;
};

// What the receipt says that does not follow from the content. All are required.
struct Issue {
    std::string issued_at;  // YYYY-MM-DDTHH:MM:SS.ffffffZ; its date is `issued_on`
    std::string tenant_id;
    std::string passport_id;
    std::string passport_version_id;
    std::string snapshot_id;
    std::string rule_package_version_id;
    std::string compiler_build_id;
    std::string signing_key_id;

    [[nodiscard]] static Issue of(const Receipt& receipt);
};

struct CompileInputs {
    std::vector<rules::Fact> facts;  // any order
    Product product;
    std::string dsl_source;
    std::string tests_source;  // only hashed; empty if the tests stand in dsl_source
    Issue issue;
    // What check_package made of exactly dsl_source, to save checking it again. Null: checked here,
    // as rules that are published, so without what flows between access tiers.
    std::shared_ptr<const rules::CheckedPackage> checked = nullptr;
};

// Bytes of the canonical documents; 0 means no limit.
struct CompileLimits {
    std::size_t payload_max_bytes = 131'072;
    std::size_t proof_max_bytes = 524'288;
    std::size_t receipt_max_bytes = 16'384;
    // Whether this does again what was issued once: any status of compliance entries, and more
    // steps (kReplayStepBudget), because both were allowed to earlier versions of this program.
    bool repeats = false;

    // For replay and verification: what was issued once stays verifiable.
    [[nodiscard]] static constexpr CompileLimits none() noexcept { return {0, 0, 0, true}; }
};

struct Compiled {
    std::string snapshot;  // canonical bytes
    std::string payload;   // canonical bytes
    std::string proof;     // canonical bytes
    Receipt receipt;       // not signed
};

// Fails with the first of: VALIDATION_ERROR (an id, a time, a hash, two facts of one type and key),
// what checking the rules reports, what evaluating them ends in (rules/evaluator.h), and
// PAYLOAD_TOO_LARGE, PROOF_TOO_LARGE, RECEIPT_TOO_LARGE.
[[nodiscard]] Result<Compiled> compile_passport(const CompileInputs& inputs,
                                                const CompileLimits& limits = {});

}  // namespace jobforge::passport
