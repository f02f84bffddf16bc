#include "cli/commands/audit_evidence.h"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "cli/offline/passport_inputs.h"
#include "cli/serve/passport_service.h"

namespace jobforge::cli {

namespace {

// The key itself, or a file with it.
Result<TrustedKey> key_argument(const std::string& argument) {
    if (auto key = parse_public_key(argument); key.ok()) {
        return TrustedKey{*key, "--key"};
    }
    const auto text = read_whole_file(argument);
    if (!text.ok()) {
        return text.error();
    }
    const auto key = parse_public_key(*text);
    if (!key.ok()) {
        return Error::of(ErrorCode::INVALID_SIGNING_KEY,
                         fmt::format("{}: {}", argument, key.error().message));
    }
    return TrustedKey{*key, "--key " + argument};
}

// The keys of this machine, if it has some.
Result<std::shared_ptr<const services::SigningKeys>> own_keys(const Config& config) {
    const auto made =
        std::filesystem::path(config.data_dir) / "keys" / (config.signing_key_id + ".key");
    std::error_code unreadable;
    if (config.signing_private_key.empty() && config.signing_keys_dir.empty() &&
        (!may_make_keys(config) || !std::filesystem::exists(made, unreadable))) {
        return std::make_shared<const services::SigningKeys>();
    }
    return signing_keys(config);
}

}  // namespace

Result<AuditEvidence> trusted_keys(const Context& context,
                                   const std::vector<std::string>& arguments) {
    AuditEvidence evidence;
    evidence.how_to_add_a_key = "give --key, or set JOBFORGE_AUDIT_KEYS";
    for (const std::string& argument : arguments) {
        auto key = key_argument(argument);
        if (!key.ok()) {
            return std::move(key).error();
        }
        evidence.keys.push_back(*std::move(key));
    }
    if (!arguments.empty()) {
        return evidence;
    }
    evidence.trust = passport::KeyTrust::assumed;
    const auto own = own_keys(context.config);
    if (!own.ok()) {
        return own.error();
    }
    for (const Ed25519PublicKey& key : context.config.audit_keys) {
        evidence.keys.push_back({key, "JOBFORGE_AUDIT_KEYS"});
        evidence.trust = passport::KeyTrust::given;
    }
    for (const Ed25519PublicKey& key : (*own)->public_keys()) {
        if (std::ranges::find(context.config.audit_keys, key) == context.config.audit_keys.end()) {
            evidence.keys.push_back({key, "this deployment"});
        }
    }
    return evidence;
}

Status add_head_files(const std::vector<std::string>& files, AuditEvidence& evidence) {
    for (const std::string& file : files) {
        auto head = read_whole_file(file);
        if (!head.ok()) {
            return std::move(head).error();
        }
        evidence.heads.push_back({*std::move(head), file});
    }
    return ok_status();
}

std::string kept_heads_directory(const Config& config) {
    return (std::filesystem::path(config.data_dir) / "log_heads").string();
}

std::vector<Uuid> tenants_with_kept_head(const Config& config) {
    std::vector<Uuid> tenants;
    std::error_code failed;
    for (std::filesystem::directory_iterator at(kept_heads_directory(config), failed), end;
         !failed && at != end; at.increment(failed)) {
        const auto tenant = Uuid::parse(at->path().stem().string());
        if (tenant.ok() && at->path().extension() == ".head") {
            tenants.push_back(*tenant);
        }
    }
    std::ranges::sort(tenants);
    return tenants;
}

Status add_kept_head(const Context& context, const Uuid& tenant, AuditEvidence& evidence) {
    const services::KeptHeads kept(kept_heads_directory(context.config));
    auto head = kept.find(tenant);
    if (!head.ok()) {
        return std::move(head).error();
    }
    if (*head) {
        evidence.heads.push_back({**std::move(head), kept.file_of(tenant)});
    }
    return ok_status();
}

Result<AuditEvidence> node_evidence(const Context& context, const Uuid& tenant) {
    auto evidence = trusted_keys(context, {});
    if (!evidence.ok()) {
        return evidence;
    }
    evidence->how_to_add_a_key = "set JOBFORGE_AUDIT_KEYS for the API";
    if (auto kept = add_kept_head(context, tenant, *evidence); !kept.ok()) {
        return std::move(kept).error();
    }
    for (passport::OutsideHead& head : evidence->heads) {
        head.source = "this node";
    }
    return evidence;
}

Result<services::LogSigner> log_signer(const Context& context) {
    auto own = own_keys(context.config);
    if (!own.ok()) {
        return std::move(own).error();
    }
    services::LogSigner signer;
    signer.keys = *std::move(own);
    signer.key_id = context.config.signing_key_id;
    signer.more_keys = context.config.audit_keys;
    signer.kept = std::make_shared<services::KeptHeads>(kept_heads_directory(context.config));
    signer.log = context.logger();
    return signer;
}

}  // namespace jobforge::cli
