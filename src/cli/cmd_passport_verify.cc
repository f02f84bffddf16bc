// jobforge passport verify BUNDLE --key PUB, jobforge passport replay BUNDLE --key PUB
#include <memory>

#include <fmt/format.h>

#include "cli/output.h"
#include "cli/passport_commands.h"
#include "cli/passport_inputs.h"
#include "cli/trusted_key_argument.h"
#include "core/canonical.h"
#include "passport/bundle.h"
#include "passport/bundle_verify.h"
#include "passport/replay.h"

namespace jobforge::cli {
namespace {

struct VerifyOptions {
    std::string bundle;
    std::string key;
};

void print_json(const passport::BundleReport& report) {
    Json checks = Json::array();
    for (const passport::BundleCheck& check : report.checks) {
        checks.push_back(Json::object(
            {{"check", check.name}, {"detail", check.detail}, {"passed", check.passed}}));
    }
    Json not_made = Json::array();
    for (const std::string_view name : report.not_made) {
        not_made.push_back(name);
    }
    Json remarks = Json::array();
    for (const std::string& remark : report.remarks) {
        remarks.push_back(remark);
    }
    print_line(Json::object({{"checks", std::move(checks)},
                             {"not_made", std::move(not_made)},
                             {"remarks", std::move(remarks)},
                             {"valid", report.ok()}})
                   .dump());
}

void print_table(const passport::BundleReport& report) {
    Table table({"CHECK", "", "DETAIL"});
    for (const passport::BundleCheck& check : report.checks) {
        table.add({std::string(check.name), check.passed ? "ok" : "FAILED", check.detail});
    }
    for (const std::string_view name : report.not_made) {
        table.add({std::string(name), "-", "not made: only for content that the key has signed"});
    }
    print(table.text());
    for (const std::string& remark : report.remarks) {
        print_line("Remark: " + remark);
    }
    const passport::BundleCheck* failure = report.first_failure();
    print_line(failure == nullptr ? "The bundle is valid."
                                  : fmt::format("The bundle is NOT valid: {}: {}", failure->name,
                                                failure->detail));
}

int run_verify(const Context& context, std::string_view bytes, const passport::TrustedKey& key) {
    const passport::BundleReport report = passport::verify_bundle(bytes, key);
    context.json ? print_json(report) : print_table(report);
    return report.ok() ? kOk : kFailed;
}

Result<passport::StoredPassport> stored_passport(std::string_view bytes) {
    const auto document = passport::read_canonical_document(bytes);
    if (!document.ok()) {
        return document.error();
    }
    const auto bundle = passport::read_bundle(*document);
    if (!bundle.ok()) {
        return bundle.error();
    }
    passport::StoredPassport stored;
    stored.inputs.facts = bundle->facts;
    stored.inputs.product = bundle->product;
    stored.inputs.dsl_source = bundle->dsl_source;
    stored.inputs.tests_source = bundle->tests_source;
    // Read from canonical bytes, so each part has its canonical form.
    stored.payload = canonical(bundle->payload).value();
    stored.proof = canonical(bundle->proof).value();
    stored.receipt = canonical(bundle->receipt.document()).value();
    return stored;
}

int run_replay(const Context& context, std::string_view bytes, const passport::TrustedKey& key) {
    const auto stored = stored_passport(bytes);
    if (!stored.ok()) {
        return context.fail(stored.error());
    }
    if (auto same = passport::replay_passport(*stored, key); !same.ok()) {
        return context.fail(same.error());
    }
    print_line(context.json ? R"({"replayed":true})"
                            : "Replayed: payload, proof and receipt are the same, byte for byte.");
    return kOk;
}

using Check = int (*)(const Context&, std::string_view bytes, const passport::TrustedKey&);

int read_and_run(const Context& context, const VerifyOptions& options, Check check) {
    const auto key = read_trusted_key(options.key);
    if (!key.ok()) {
        return context.fail(key.error());
    }
    const auto bytes = read_whole_file(options.bundle);
    if (!bytes.ok()) {
        return context.fail(bytes.error());
    }
    return check(context, *bytes, *key);
}

void declare(Command command, Context& context, Check check) {
    auto options = std::make_shared<VerifyOptions>();
    command.option("BUNDLE", options->bundle, "The bundle's file, - for standard input").required();
    command
        .option("--key", options->key,
                "The issuer's public key, a file or its base64: from a source you trust. As "
                "KEY_ID=KEY, the receipt must name this id")
        .required();
    command.runs([&context, options, check] { return read_and_run(context, *options, check); });
}

}  // namespace

void add_passport_verify(Command passport, Context& context) {
    declare(passport.subcommand("verify", "Check everything about a bundle, and say what fails"),
            context, run_verify);
}

void add_passport_replay(Command passport, Context& context) {
    declare(passport.subcommand("replay", "Compile a bundle's passport again and compare bytes"),
            context, run_replay);
}

}  // namespace jobforge::cli
