#include "passport/bundle_verify.h"

#include <algorithm>
#include <array>
#include <optional>
#include <span>

#include <fmt/format.h>

#include "base/crypto/hash.h"
#include "base/json/canonical.h"
#include "base/text/counted.h"
#include "base/text/visible_text.h"
#include "passport/bundle.h"
#include "passport/difference.h"
#include "passport/sign.h"
#include "rules/check/package.h"
#include "values/compliance_status.h"
#include "verify/check_proof.h"

namespace jobforge::passport {
namespace {

Error wrong(std::string message) {
    return Error::of(ErrorCode::VALIDATION_ERROR, std::move(message));
}

std::string content_hash(const Json& value) {
    return sha256_hex(canonical(value).value());  // read from canonical bytes
}

const std::string& text(const Json& value, std::string_view name) {
    return *value.find(name)->as_string();
}

// Each check gives what it found, or what is wrong, and may add remarks. They look at one bundle
// and at nothing that another check has established.
using Found = Result<std::string>;
using Remarks = std::vector<std::string>;

Found check_signature(const Bundle& bundle, const Ed25519PublicKey& key, Remarks&) {
    if (auto valid = verify_signature(bundle.receipt, key); !valid.ok()) {
        return wrong(valid.error().message + " " + valid.error().hint);
    }
    return fmt::format("signed by \"{}\", issued at {}", bundle.receipt.signing_key_id,
                       bundle.receipt.issued_at);
}

Found check_snapshot(const Bundle& bundle, const Ed25519PublicKey&, Remarks&) {
    if (content_hash(bundle.snapshot) != bundle.receipt.snapshot_hash) {
        return wrong("the snapshot's hash is not the receipt's snapshot_hash");
    }
    if (*bundle.snapshot.find("snapshot_id") != Json(bundle.receipt.snapshot_id)) {
        return wrong("the snapshot's id is not the receipt's");
    }
    const Json::Array& items = *bundle.snapshot.find("facts")->as_array();
    const auto key = [](const Json& item) {
        return std::pair<std::string_view, std::string_view>(text(item, "fact_type"),
                                                             text(item, "fact_key"));
    };
    const auto unsorted = std::ranges::adjacent_find(
        items, [&key](const Json& a, const Json& b) { return !(key(a) < key(b)); });
    if (unsorted != items.end()) {
        return wrong("its facts are not sorted, or one is there twice");
    }
    return counted(static_cast<std::int64_t>(items.size()), "fact");
}

std::string counted_facts(const Bundle& bundle) {
    return counted(static_cast<std::int64_t>(bundle.facts.size()), "fact");
}

Found check_facts(const Bundle& bundle, const Ed25519PublicKey&, Remarks&) {
    const Json::Array& items = *bundle.snapshot.find("facts")->as_array();
    if (items.size() != bundle.facts.size()) {
        return wrong(
            fmt::format("{}, but the snapshot lists {}", counted_facts(bundle), items.size()));
    }
    for (std::size_t i = 0; i < items.size(); ++i) {
        const rules::Fact& fact = bundle.facts[i];
        const Json expected = Json::object({{"fact_key", fact.fact_key},
                                            {"fact_type", fact.fact_type},
                                            {"payload_hash", content_hash(fact.payload)},
                                            {"source_sha256", fact.source_sha256}});
        if (items[i] != expected) {
            return wrong(fmt::format("fact {} ({} \"{}\") is not the one that the snapshot lists",
                                     i, fact.fact_type, fact.fact_key));
        }
    }
    return counted_facts(bundle) + ", as the snapshot lists them";
}

Found check_rules(const Bundle& bundle, const Ed25519PublicKey&, Remarks&) {
    if (sha256_hex(bundle.dsl_source) != bundle.receipt.dsl_sha256) {
        return wrong("dsl_source does not have the receipt's dsl_sha256");
    }
    if (sha256_hex(bundle.tests_source) != bundle.receipt.tests_sha256) {
        return wrong("tests_source does not have the receipt's tests_sha256");
    }
    return "dsl " + bundle.receipt.dsl_sha256.substr(0, 12);
}

Found check_product(const Bundle& bundle, const Ed25519PublicKey&, Remarks&) {
    if (*bundle.payload.find("product") != bundle.product.document()) {
        return wrong("the bundle's product is not the payload's");
    }
    if (bundle.product.battery_product_id != bundle.receipt.battery_product_id) {
        return wrong("the product's id is not the receipt's battery_product_id");
    }
    return fmt::format("{} \"{}\"", bundle.product.sku, bundle.product.name);
}

Found check_payload(const Bundle& bundle, const Ed25519PublicKey&, Remarks&) {
    if (content_hash(bundle.payload) != bundle.receipt.payload_hash) {
        return wrong("the payload's hash is not the receipt's payload_hash");
    }
    return "hash " + bundle.receipt.payload_hash.substr(0, 12);
}

Found check_derivation(const Bundle& bundle, const Ed25519PublicKey&, Remarks& remarks) {
    std::vector<verify::Fact> facts;
    for (const rules::Fact& fact : bundle.facts) {
        facts.push_back({fact.fact_type, fact.fact_key, &fact.payload});
    }
    const auto day = Date::parse(std::string_view(bundle.receipt.issued_at).substr(0, 10));
    // Before any node is computed: what leads to another hash is not what was signed.
    const Json* root_hash = bundle.proof.find("root_hash");
    if (root_hash == nullptr || *root_hash != Json(bundle.receipt.proof_root_hash)) {
        return wrong("its root hash is not the receipt's proof_root_hash");
    }
    const auto derived = verify::check_proof(
        bundle.proof, {facts, bundle.product.name, bundle.product.sku, day.value_or(Date()), true});
    if (!derived.ok()) {
        return wrong(derived.error().message);
    }
    if (derived->fields != *bundle.payload.find("fields")) {
        return wrong("it derives other fields than the payload's");
    }
    if (derived->compliance != *bundle.payload.find("compliance")) {
        return wrong("it derives other compliance entries than the payload's");
    }
    if (!derived->foreign_statuses.empty()) {
        remarks.push_back(fmt::format(
            "It has compliance entries with the status {}. Passports that are issued today have "
            "only {}.",
            visible_text(fmt::format("{}", fmt::join(derived->foreign_statuses, ", "))),
            fmt::join(kComplianceStatuses, ", ")));
    }
    const std::size_t nodes = bundle.proof.find("nodes")->as_array()->size();
    return counted(static_cast<std::int64_t>(nodes), "node") + " computed again";
}

// What was published before flows between access tiers were checked still verifies. That its rules
// fail the check of today is said, because the payload alone does not show it.
void remark_on_access(const std::string& dsl_source, Remarks& remarks) {
    const auto checked = rules::check_package(rules::SourceText("rules", dsl_source), std::nullopt,
                                              {.statuses = rules::StatusWords::any});
    if (!checked.ok()) {
        remarks.emplace_back(
            "Its rules show a value to people who may not see what it was computed from. Rules "
            "that "
            "are checked today must say why (declassify).");
    }
}

Found check_recompile(const Bundle& bundle, const Ed25519PublicKey&, Remarks& remarks) {
    const CompileInputs inputs{bundle.facts, bundle.product, bundle.dsl_source, bundle.tests_source,
                               Issue::of(bundle.receipt)};
    const auto compiled = compile_passport(inputs, CompileLimits::none());
    if (!compiled.ok()) {
        return wrong("compiling again fails: " + compiled.error().message);
    }
    for (const auto& difference :
         {find_difference("payload", canonical(bundle.payload).value(), compiled->payload),
          find_difference("proof", canonical(bundle.proof).value(), compiled->proof),
          find_difference("receipt", bundle.receipt.unsigned_bytes(),
                          compiled->receipt.unsigned_bytes())}) {
        if (difference) {
            return wrong(difference->text());
        }
    }
    remark_on_access(bundle.dsl_source, remarks);
    return std::string("payload, proof and receipt are the same, byte for byte");
}

// What takes as long as the content of the bundle wants is run only if a trusted key has signed
// exactly this content: these checks must have passed before.
using Needs = std::span<const std::string_view>;
constexpr std::array<std::string_view, 5> kSignedContent{"signature", "snapshot", "facts",
                                                         "product", "rules"};
constexpr Needs kNothing{};
constexpr Needs kWithoutRules = Needs(kSignedContent).first(4);  // a proof does not know them
constexpr Needs kEverything{kSignedContent};

struct Row {
    std::string_view name;
    Found (*run)(const Bundle& bundle, const Ed25519PublicKey& key, Remarks& remarks);
    Needs needs;
};

constexpr std::array<Row, 8> kChecks{{
    {"signature", check_signature, kNothing},
    {"snapshot", check_snapshot, kNothing},
    {"facts", check_facts, kNothing},
    {"rules", check_rules, kNothing},
    {"product", check_product, kNothing},
    {"payload", check_payload, kNothing},
    {"proof", check_derivation, kWithoutRules},
    {"recompile", check_recompile, kEverything},
}};
constexpr std::size_t kReadingChecks = 2;  // canonical, members

// Details quote the bundle, which may hold anything.
BundleCheck failed(std::string_view name, const Error& error) {
    return {name, false, visible_text(error.message)};
}

BundleCheck passed(std::string_view name, std::string_view found) {
    return {name, true, visible_text(found)};
}

bool may_run(const Row& row, const BundleReport& report, VerifyEffort effort) {
    if (effort == VerifyEffort::first_fault && report.first_failure() != nullptr) {
        return false;
    }
    return std::ranges::all_of(row.needs, [&report](std::string_view name) {
        const auto made = std::ranges::find(report.checks, name, &BundleCheck::name);
        return made != report.checks.end() && made->passed;
    });
}

void leave_out_all(BundleReport& report) {
    for (const Row& row : kChecks) {
        report.not_made.push_back(row.name);
    }
}

// The signature was checked with the caller's key; this compares the id that the receipt claims.
void check_key_id(const TrustedKey& trusted, const std::string& claimed, BundleReport& report) {
    const auto check = std::ranges::find(report.checks, "signature", &BundleCheck::name);
    if (check == report.checks.end() || !check->passed) {
        return;
    }
    if (trusted.id.empty()) {
        check->detail += "; whether the key has this id was not checked";
    } else if (!trusted.may_be(claimed)) {
        check->passed = false;
        check->detail = fmt::format("signed with the key {}, but the receipt names {}",
                                    json_quote(trusted.id), json_quote(claimed));
    }
}

}  // namespace

bool BundleReport::ok() const noexcept {
    return checks.size() == kReadingChecks + kChecks.size() && first_failure() == nullptr;
}

const BundleCheck* BundleReport::first_failure() const noexcept {
    const auto found = std::ranges::find(checks, false, &BundleCheck::passed);
    return found == checks.end() ? nullptr : &*found;
}

BundleReport verify_bundle(std::string_view bytes, const TrustedKey& trusted, VerifyEffort effort) {
    const Ed25519PublicKey& key = trusted.key;
    BundleReport report;
    const auto document = read_canonical_document(bytes);
    if (!document.ok()) {
        report.checks.push_back(failed("canonical", document.error()));
        report.not_made.emplace_back("members");
        leave_out_all(report);
        return report;
    }
    report.checks.push_back(passed("canonical", fmt::format("{} bytes", bytes.size())));
    const auto bundle = read_bundle(*document);
    if (!bundle.ok()) {
        report.checks.push_back(failed("members", bundle.error()));
        leave_out_all(report);
        return report;
    }
    report.checks.push_back(passed("members", "BPC-BUNDLE-1"));
    for (const Row& row : kChecks) {
        if (!may_run(row, report, effort)) {
            report.not_made.push_back(row.name);
            continue;
        }
        const Found found = row.run(*bundle, key, report.remarks);
        report.checks.push_back(found.ok() ? passed(row.name, *found)
                                           : failed(row.name, found.error()));
    }
    check_key_id(trusted, bundle->receipt.signing_key_id, report);
    return report;
}

}  // namespace jobforge::passport
