// jobforge passport compile --rules FILE --product FILE --issued-at TIME --out DIR ...
#include <memory>
#include <optional>

#include <fmt/format.h>

#include "base/json/canonical.h"
#include "base/text/time_text.h"
#include "cli/offline/passport_commands.h"
#include "cli/offline/passport_files.h"
#include "cli/offline/passport_inputs.h"
#include "cli/usage.h"
#include "cli/view/output.h"
#include "passport/bundle.h"
#include "passport/default_ids.h"
#include "passport/qr_text.h"
#include "passport/sign.h"
#include "rules/check/package.h"

namespace jobforge::cli {
namespace {

using passport::Compiled;
using passport::CompileInputs;
using passport::Receipt;

struct CompileOptions {
    PassportInputOptions inputs;
    std::string rules_file;
    std::string tests_file;
    std::string issued_at;
    passport::Issue ids;
    std::string key_file;
    std::string qr_base_url;
    std::string out;
    passport::CompileLimits limits;
};

Error bad(std::string message, std::string hint = {}) {
    Error error = Error::of(ErrorCode::VALIDATION_ERROR, std::move(message));
    error.hint = std::move(hint);
    return error;
}

Result<std::string> moment(const std::string& text) {
    if (text.empty()) {
        return usage_error(
            "--issued-at is missing.",
            "Say the moment of issue, e.g. --issued-at 2027-02-18T09:30:00Z. A clock would "
            "make every run another passport.");
    }
    const auto time = parse_time(text);
    if (!time.ok()) {
        return usage_error("--issued-at: " + time.error().message);
    }
    return format_time(*time);
}

Result<CompileInputs> read_inputs(const Context& context, const CompileOptions& options) {
    CompileInputs inputs;
    inputs.issue = options.ids;
    if (inputs.issue.compiler_build_id.empty()) {
        inputs.issue.compiler_build_id = context.config.build_id;
    }
    auto issued_at = moment(options.issued_at);
    if (!issued_at.ok()) {
        return std::move(issued_at).error();
    }
    inputs.issue.issued_at = std::move(*issued_at);
    PassportInputOptions files = options.inputs;
    files.issued_on = inputs.issue.issued_at.substr(0, 10);
    auto read = read_passport_inputs(files);
    if (!read.ok()) {
        return std::move(read).error();
    }
    if (read->product.battery_product_id.empty()) {
        return bad("The product has no battery_product_id.",
                   "Add \"battery_product_id\": a UUID, to " + files.product_file + ".");
    }
    inputs.facts = std::move(read->facts);
    inputs.product = {read->product.battery_product_id, read->product.name, read->product.sku};
    auto rules = read_whole_file(options.rules_file);
    if (!rules.ok()) {
        return std::move(rules).error();
    }
    inputs.dsl_source = std::move(*rules);
    // Rules from a file are about to be used for the first time: nothing vouches for them yet.
    auto checked = rules::check_package(rules::SourceText("rules", inputs.dsl_source));
    if (!checked.ok()) {
        return rules::to_error(checked.diagnostics, checked.sources);
    }
    inputs.checked = std::move(checked.package);
    if (!options.tests_file.empty()) {
        auto tests = read_whole_file(options.tests_file);
        if (!tests.ok()) {
            return std::move(tests).error();
        }
        inputs.tests_source = std::move(*tests);
    }
    if (auto filled = passport::fill_default_ids(inputs); !filled.ok()) {
        return std::move(filled).error();
    }
    return inputs;
}

Status write_signed(const CompileOptions& options, const CompileInputs& inputs,
                    const Compiled& compiled, const Receipt& receipt) {
    const auto bundle = passport::write_bundle(inputs, compiled, receipt);
    if (!bundle.ok()) {
        return bundle.error();
    }
    if (auto done = write_whole_file(options.out + "/bundle.json", *bundle); !done.ok()) {
        return done;
    }
    return write_whole_file(options.out + "/qr.txt",
                            passport::qr_text(receipt, options.qr_base_url));
}

// Signed if there is a key; the receipt that was written.
Result<Receipt> write_documents(const CompileOptions& options, const CompileInputs& inputs,
                                const Compiled& compiled) {
    Receipt receipt = compiled.receipt;
    if (!options.key_file.empty()) {
        const auto text = read_whole_file(options.key_file);
        if (!text.ok()) {
            return text.error();
        }
        const auto key = Ed25519PrivateKey::parse(*text);
        if (!key.ok()) {
            return key.error();
        }
        receipt = passport::sign_receipt(std::move(receipt), *key);
    }
    if (auto made = make_directory(options.out); !made.ok()) {
        return std::move(made).error();
    }
    const auto receipt_bytes = canonical(receipt.document());
    if (!receipt_bytes.ok()) {
        return receipt_bytes.error();
    }
    for (const auto& [name, bytes] :
         {std::pair<std::string_view, const std::string&>("payload", compiled.payload),
          {"proof", compiled.proof},
          {"snapshot", compiled.snapshot},
          {"receipt", *receipt_bytes}}) {
        if (auto done = write_whole_file(fmt::format("{}/{}.json", options.out, name), bytes);
            !done.ok()) {
            return std::move(done).error();
        }
    }
    if (!receipt.signature.empty()) {
        if (auto done = write_signed(options, inputs, compiled, receipt); !done.ok()) {
            return std::move(done).error();
        }
    }
    return receipt;
}

int run_compile(const Context& context, const CompileOptions& options) {
    const auto inputs = read_inputs(context, options);
    if (!inputs.ok()) {
        return context.fail(inputs.error());
    }
    const auto compiled = passport::compile_passport(*inputs, options.limits);
    if (!compiled.ok()) {
        return context.fail(compiled.error());
    }
    const auto receipt = write_documents(options, *inputs, *compiled);
    if (!receipt.ok()) {
        return context.fail(receipt.error());
    }
    if (context.json) {
        print_line(Json::object({{"passport_version_id", receipt->passport_version_id},
                                 {"payload_hash", receipt->payload_hash},
                                 {"proof_root_hash", receipt->proof_root_hash},
                                 {"receipt_hash", receipt->hash()},
                                 {"signed", !receipt->signature.empty()}})
                       .dump());
        return kOk;
    }
    print_line(fmt::format(
        "passport version  {}\npayload hash      {}\nproof root hash   {}\n"
        "receipt hash      {}\n{} in {}",
        receipt->passport_version_id, receipt->payload_hash, receipt->proof_root_hash,
        receipt->hash(),
        receipt->signature.empty() ? "payload, proof, snapshot and unsigned receipt"
                                   : "payload, proof, snapshot, signed receipt, bundle and QR text",
        options.out));
    return kOk;
}

void add_id_options(Command command, passport::Issue& ids) {
    const std::string fallback = "UUID; default: made from the content (docs/formats.md)";
    command.option("--tenant-id", ids.tenant_id, fallback);
    command.option("--passport-id", ids.passport_id, fallback);
    command.option("--passport-version-id", ids.passport_version_id, fallback);
    command.option("--snapshot-id", ids.snapshot_id, fallback);
    command.option("--rule-package-version-id", ids.rule_package_version_id, fallback);
    command.option("--build-id", ids.compiler_build_id,
                   "Which program compiled; default: BPC_COMPILER_BUILD_ID");
    command.option("--key-id", ids.signing_key_id, "Name of the signing key; default: dev-key-1");
}

// The same limits as the worker's, by the same names in the environment.
void add_limit_options(Command command, passport::CompileLimits& limits) {
    const std::string what = "Largest size in bytes, 0 for none";
    command.option("--payload-max-bytes", limits.payload_max_bytes, what)
        .env("BPC_PAYLOAD_MAX_BYTES")
        .shows_default();
    command.option("--proof-max-bytes", limits.proof_max_bytes, what)
        .env("BPC_PROOF_MAX_BYTES")
        .shows_default();
    command.option("--receipt-max-bytes", limits.receipt_max_bytes, what)
        .env("BPC_RECEIPT_MAX_BYTES")
        .shows_default();
}

}  // namespace

void add_passport_compile(Command passport, Context& context) {
    auto options = std::make_shared<CompileOptions>();
    options->ids.signing_key_id = "dev-key-1";
    Command command =
        passport.subcommand("compile", "Facts and rules to payload, proof and receipt");
    command.option("--facts", options->inputs.facts_dir,
                   "Directory of facts: *.json, each {fact_type, fact_key, payload} or an "
                   "array of them");
    command.option("--fact", options->inputs.facts, "TYPE:KEY=FILE: a document as one fact")
        .one_at_a_time();
    command.option("--rules", options->rules_file, "The rule source").required();
    command.option("--tests", options->tests_file, "Its tests, if they are a file of their own");
    command
        .option("--product", options->inputs.product_file,
                "JSON file: {battery_product_id, name, sku}")
        .required();
    command.option("--issued-at", options->issued_at,
                   "Moment of issue, like 2027-02-18T09:30:00Z: required, never the clock");
    add_id_options(command, options->ids);
    add_limit_options(command, options->limits);
    command.option("--key", options->key_file,
                   "Private key: signs the receipt, and writes bundle.json and qr.txt");
    command.option("--qr-base-url", options->qr_base_url, "The QR text as a link below this");
    command.option("--out", options->out, "Directory for the documents").required();
    command.runs([&context, options] { return run_compile(context, *options); });
}

}  // namespace jobforge::cli
