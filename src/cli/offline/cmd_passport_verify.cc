// jobforge passport verify BUNDLE --key PUB, jobforge passport replay BUNDLE --key PUB
#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <optional>

#include <fmt/format.h>

#include "base/crypto/hash.h"
#include "base/json/canonical.h"
#include "base/text/base32.h"
#include "cli/offline/passport_commands.h"
#include "cli/offline/passport_inputs.h"
#include "cli/offline/trusted_key_argument.h"
#include "cli/view/output.h"
#include "passport/bundle.h"
#include "passport/bundle_verify.h"
#include "passport/qr_text.h"
#include "passport/replay.h"

namespace jobforge::cli {
namespace {

struct VerifyOptions {
    std::string bundle;
    std::string key;
    std::optional<std::string> code;
};

constexpr std::array<std::string_view, 5> kStatuses{"FAIL", "NOT_APPLICABLE", "PASS", "PENDING",
                                                    "WARN"};
constexpr std::string_view kUnknownStatus = "UNKNOWN";

// What a reader compares with the public page and with a printed code: computed from the bundle's
// parts, in hex and in the code's base32.
struct NamedHash {
    std::string_view name;
    std::string_view letters;  // in the code
    std::string hex;

    // Of a hash that is none in hex: empty.
    [[nodiscard]] std::string base32() const {
        const auto bytes = hex_decode(hex);
        return bytes.ok() ? base32_encode(*bytes) : std::string();
    }
};

struct Verified {
    passport::BundleReport report;
    std::vector<NamedHash> hashes;  // none of a bundle that cannot be read
    // How many compliance entries have which status.
    std::map<std::string_view, int> found;
    std::optional<bool> code_fits;  // if there is one to compare

    [[nodiscard]] bool ok() const { return report.ok() && code_fits.value_or(true); }
    [[nodiscard]] int failed() const {
        const auto count = [this](std::string_view status) {
            const auto at = found.find(status);
            return at == found.end() ? 0 : at->second;
        };
        return count("FAIL") + count(kUnknownStatus);
    }
};

void take_parts(const passport::Bundle& bundle, Verified& verified) {
    const Json* root = bundle.proof.find("root_hash");
    const std::string* proof_root = root == nullptr ? nullptr : root->as_string();
    if (const auto payload = canonical(bundle.payload); payload.ok() && proof_root != nullptr) {
        verified.hashes = {{"payload_hash", "ph", sha256_hex(*payload)},
                           {"proof_root_hash", "pr", *proof_root},
                           {"receipt_hash", "rh", bundle.receipt.hash()}};
    }
    const Json* entries = bundle.payload.find("compliance");
    if (entries == nullptr || !entries->is_array()) {
        return;
    }
    for (const Json& entry : *entries->as_array()) {
        const Json* status = entry.find("status");
        const std::string* text = status == nullptr ? nullptr : status->as_string();
        const auto known = std::ranges::find(kStatuses, text == nullptr ? std::string() : *text);
        // Never the text itself: it comes from the bundle's maker.
        ++verified.found[known == kStatuses.end() ? kUnknownStatus : *known];
    }
}

Verified verified(std::string_view bytes, const passport::TrustedKey& key,
                  const std::optional<std::string>& code) {
    Verified verified{passport::verify_bundle(bytes, key), {}, {}, {}};
    if (code) {
        verified.code_fits = false;
    }
    if (const auto document = passport::read_canonical_document(bytes); document.ok()) {
        if (const auto bundle = passport::read_bundle(*document); bundle.ok()) {
            take_parts(*bundle, verified);
            verified.code_fits =
                code ? std::optional(passport::is_qr_text_of(bundle->receipt, *code))
                     : std::nullopt;
        }
    }
    return verified;
}

void print_json(const Verified& verified) {
    Json checks = Json::array();
    for (const passport::BundleCheck& check : verified.report.checks) {
        checks.push_back(Json::object(
            {{"check", check.name}, {"detail", check.detail}, {"passed", check.passed}}));
    }
    Json not_made = Json::array();
    for (const std::string_view name : verified.report.not_made) {
        not_made.push_back(name);
    }
    Json remarks = Json::array();
    for (const std::string& remark : verified.report.remarks) {
        remarks.push_back(remark);
    }
    Json hashes = Json::object({});
    for (const NamedHash& hash : verified.hashes) {
        hashes.set(std::string(hash.name),
                   Json::object({{"base32", hash.base32()}, {"hex", hash.hex}}));
    }
    Json findings = Json::object({});
    for (const auto& [status, count] : verified.found) {
        findings.set(std::string(status), count);
    }
    const auto& code = verified.code_fits;
    print_line(Json::object({{"checks", std::move(checks)},
                             {"code_fits", code ? Json(*code) : Json()},
                             {"findings", std::move(findings)},
                             {"hashes", std::move(hashes)},
                             {"not_made", std::move(not_made)},
                             {"remarks", std::move(remarks)},
                             {"valid", verified.ok()}})
                   .dump());
}

// What the document says of itself: a valid bundle may be of a passport that fails its own checks.
std::string findings_text(const std::map<std::string_view, int>& found) {
    std::string text;
    for (const auto& [status, count] : found) {
        text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, status);
    }
    return text.empty() ? "none" : text;
}

void print_table(const Verified& verified) {
    Table table({"CHECK", "", "DETAIL"});
    for (const passport::BundleCheck& check : verified.report.checks) {
        table.add({std::string(check.name), check.passed ? "ok" : "FAILED", check.detail});
    }
    for (const std::string_view name : verified.report.not_made) {
        table.add({std::string(name), "-", "not made: only for content that the key has signed"});
    }
    print(table.text());
    for (const std::string& remark : verified.report.remarks) {
        print_line("Remark: " + remark);
    }
    if (!verified.hashes.empty()) {
        Table hashes({"HASH", "", "AS ON THE PUBLIC PAGE, AND AS IN THE CODE"});
        for (const NamedHash& hash : verified.hashes) {
            hashes.add({std::string(hash.name), "hex", hash.hex});
            hashes.add({"", std::string(hash.letters) + "=", hash.base32()});
        }
        // Whole on any terminal: half a hash proves nothing.
        print("\n" + hashes.text(0));
        print_line("\nWhat the rules found in the document: " + findings_text(verified.found));
    }
    const passport::BundleCheck* failure = verified.report.first_failure();
    if (failure != nullptr) {
        print_line(fmt::format("The bundle is NOT valid: {}: {}", failure->name, failure->detail));
        return;
    }
    print_line("The bundle is valid.");
    if (verified.code_fits) {
        print_line(*verified.code_fits
                       ? "The code is that of this version."
                       : "The code is NOT that of this version: it has other hashes "
                         "or another id.");
    }
    if (const int failed = verified.failed(); failed > 0) {
        print_line(
            fmt::format("That is about its signature and its computation. The document itself "
                        "fails {} of the issuer's own checks.",
                        failed));
    }
}

int run_verify(const Context& context, const VerifyOptions& options, std::string_view bytes,
               const passport::TrustedKey& key) {
    const Verified result = verified(bytes, key, options.code);
    context.json ? print_json(result) : print_table(result);
    return result.ok() ? kOk : kFailed;
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

int run_replay(const Context& context, const VerifyOptions& /*options*/, std::string_view bytes,
               const passport::TrustedKey& key) {
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

using Check = int (*)(const Context&, const VerifyOptions&, std::string_view bytes,
                      const passport::TrustedKey&);

int read_and_run(const Context& context, const VerifyOptions& options, Check check) {
    const auto key = read_trusted_key(options.key);
    if (!key.ok()) {
        return context.fail(key.error());
    }
    const auto bytes = read_whole_file(options.bundle);
    if (!bytes.ok()) {
        return context.fail(bytes.error());
    }
    return check(context, options, *bytes, *key);
}

std::shared_ptr<VerifyOptions> declare(Command command, Context& context, Check check) {
    auto options = std::make_shared<VerifyOptions>();
    command.option("BUNDLE", options->bundle, "The bundle's file, - for standard input").required();
    command
        .option("--key", options->key,
                "The issuer's public key, a file or its base64: from a source you trust. As "
                "KEY_ID=KEY, the receipt must name this id")
        .required();
    command.runs([&context, options, check] { return read_and_run(context, *options, check); });
    return options;
}

}  // namespace

void add_passport_verify(Command passport, Context& context) {
    Command verify =
        passport.subcommand("verify", "Check everything about a bundle, and say what fails");
    const auto options = declare(verify, context, run_verify);
    verify.option("--code", options->code,
                  "What the printed QR code says: it must be that of this version");
}

void add_passport_replay(Command passport, Context& context) {
    (void)declare(
        passport.subcommand("replay", "Compile a bundle's passport again and compare bytes"),
        context, run_replay);
}

}  // namespace jobforge::cli
