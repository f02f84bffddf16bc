#include "passport/compile.h"

#include <optional>

#include <fmt/format.h>

#include "base/crypto/hash.h"
#include "base/json/canonical.h"
#include "passport/payload.h"
#include "passport/snapshot.h"
#include "rules/eval/evaluator.h"

namespace jobforge::passport {
namespace {

// The proof of an evaluation holds steps that the finished one leaves out, so the early stop, which
// only saves memory, comes well behind the limit.
constexpr std::size_t kEarlyStop = 4;

Status within(std::string_view document, std::size_t size, std::size_t limit, ErrorCode code) {
    if (limit == 0 || size <= limit) {
        return ok_status();
    }
    Error error = Error::of(
        code, fmt::format("The {} has {} bytes, over its limit of {}.", document, size, limit));
    error.hint = "Emit fewer or shorter values, or raise the limit.";
    return error;
}

Receipt receipt_of(const CompileInputs& inputs) {
    Receipt receipt;
    receipt.issued_at = inputs.issue.issued_at;
    receipt.tenant_id = inputs.issue.tenant_id;
    receipt.passport_version_id = inputs.issue.passport_version_id;
    receipt.passport_id = inputs.issue.passport_id;
    receipt.battery_product_id = inputs.product.battery_product_id;
    receipt.snapshot_id = inputs.issue.snapshot_id;
    receipt.rule_package_version_id = inputs.issue.rule_package_version_id;
    receipt.dsl_sha256 = sha256_hex(inputs.dsl_source);
    receipt.tests_sha256 = sha256_hex(inputs.tests_source);
    receipt.compiler_build_id = inputs.issue.compiler_build_id;
    receipt.signing_key_id = inputs.issue.signing_key_id;
    return receipt;
}

// Ids and times before any work: the hashes, which come later, stand in as zeros.
Status check_issue(Receipt receipt) {
    receipt.snapshot_hash = receipt.payload_hash = receipt.proof_root_hash = std::string(64, '0');
    return check_receipt(receipt);
}

Result<std::shared_ptr<const rules::CheckedPackage>> checked_package(const CompileInputs& inputs,
                                                                     const CompileLimits& limits) {
    if (inputs.checked) {
        return inputs.checked;
    }
    rules::CheckOutcome outcome = rules::check_package(
        rules::SourceText("rules", inputs.dsl_source), std::nullopt,
        {.flows = rules::AccessFlows::ignored,
         .statuses = limits.repeats ? rules::StatusWords::any : rules::StatusWords::closed});
    if (!outcome.ok()) {
        return rules::to_error(outcome.diagnostics, outcome.sources);
    }
    return std::move(outcome.package);
}

Result<rules::Evaluation> evaluate_rules(const rules::CheckedPackage& package, rules::FactSet facts,
                                         const CompileInputs& inputs, const CompileLimits& limits) {
    const std::string day = inputs.issue.issued_at.substr(0, 10);
    const rules::Inputs given{std::move(facts), inputs.product.sku, inputs.product.name,
                              Date::parse(day).value_or(Date())};
    rules::EvaluateOptions options;
    options.proof_byte_limit = limits.proof_max_bytes * kEarlyStop;
    options.any_status = limits.repeats;
    options.step_budget = limits.repeats ? rules::kReplayStepBudget : rules::kDefaultStepBudget;
    rules::EvaluationOutcome outcome = rules::evaluate(package, given, options);
    if (!outcome.ok()) {
        return outcome.error->to_error(package);
    }
    return std::move(*outcome.evaluation);
}

// What is done again had no look at how the documents write their numbers, or passed it.
std::vector<rules::Fact> facts_of(const CompileInputs& inputs, const CompileLimits& limits) {
    std::vector<rules::Fact> facts = inputs.facts;
    for (rules::Fact& fact : facts) {
        if (limits.repeats) {
            fact.numbers.clear();
        }
    }
    return facts;
}

Status check_sizes(const Compiled& compiled, const CompileLimits& limits) {
    const std::size_t receipt = compiled.receipt.unsigned_bytes().size();
    for (const auto& status :
         {within("payload", compiled.payload.size(), limits.payload_max_bytes,
                 ErrorCode::PAYLOAD_TOO_LARGE),
          within("proof", compiled.proof.size(), limits.proof_max_bytes,
                 ErrorCode::PROOF_TOO_LARGE),
          within("receipt", receipt, limits.receipt_max_bytes, ErrorCode::RECEIPT_TOO_LARGE)}) {
        if (!status.ok()) {
            return status.error();
        }
    }
    return ok_status();
}

}  // namespace

Json Product::document() const {
    return Json::object({{"battery_product_id", battery_product_id}, {"name", name}, {"sku", sku}});
}

Issue Issue::of(const Receipt& receipt) {
    return {receipt.issued_at,           receipt.tenant_id,     receipt.passport_id,
            receipt.passport_version_id, receipt.snapshot_id,   receipt.rule_package_version_id,
            receipt.compiler_build_id,   receipt.signing_key_id};
}

Result<Compiled> compile_passport(const CompileInputs& inputs, const CompileLimits& limits) {
    Compiled compiled;
    compiled.receipt = receipt_of(inputs);
    if (auto issue = check_issue(compiled.receipt); !issue.ok()) {
        return std::move(issue).error();
    }
    auto facts = rules::FactSet::make(facts_of(inputs, limits));
    if (!facts.ok()) {
        return std::move(facts).error();
    }
    const auto snapshot = snapshot_document(inputs.issue.snapshot_id, *facts);
    if (!snapshot.ok()) {
        return snapshot.error();
    }
    auto snapshot_bytes = canonical(*snapshot);
    if (!snapshot_bytes.ok()) {
        return std::move(snapshot_bytes).error();
    }
    compiled.snapshot = std::move(*snapshot_bytes);

    const auto package = checked_package(inputs, limits);
    if (!package.ok()) {
        return package.error();
    }
    const auto evaluation = evaluate_rules(**package, std::move(*facts), inputs, limits);
    if (!evaluation.ok()) {
        return evaluation.error();
    }
    auto payload = payload_bytes(**package, *evaluation, inputs.product);
    if (!payload.ok()) {
        return std::move(payload).error();
    }
    compiled.payload = std::move(*payload);
    compiled.proof = evaluation->proof.canonical();

    compiled.receipt.snapshot_hash = sha256_hex(compiled.snapshot);
    compiled.receipt.payload_hash = sha256_hex(compiled.payload);
    compiled.receipt.proof_root_hash = evaluation->proof.root_hash;
    if (auto sizes = check_sizes(compiled, limits); !sizes.ok()) {
        return std::move(sizes).error();
    }
    return compiled;
}

}  // namespace jobforge::passport
