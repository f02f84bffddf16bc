// COMPILE_PASSPORT: a sealed snapshot and published rules become payload, proof and receipt. The
// issue time, the version's id and the key's id are in the payload, so every run gives the same
// bytes.
#include <chrono>

#include <fmt/format.h>

#include "base/crypto/hash.h"
#include "base/text/time_text.h"
#include "passport/compile.h"
#include "services/jobs/step.h"
#include "services/passport/passport_handlers.h"
#include "services/passport/stored_facts.h"
#include "statements/passport.h"
#include "statements/rules.h"
#include "statements/snapshots.h"

namespace jobforge::services {

namespace {

struct CompilePayload {
    Uuid passport_id, snapshot_id, rule_package_version_id, passport_version_id;
    std::string issued_at;
    std::int64_t issued_us = 0;
    std::string signing_key_id;
};

Result<CompilePayload> read_payload(const Json& payload) {
    CompilePayload out;
    for (const auto& [member, id] : {std::pair<const char*, Uuid*>{"passport_id", &out.passport_id},
                                     {"snapshot_id", &out.snapshot_id},
                                     {"rule_package_version_id", &out.rule_package_version_id},
                                     {"passport_version_id", &out.passport_version_id}}) {
        auto value = uuid_member(payload, member);
        if (!value.ok()) {
            return std::move(value).error();
        }
        *id = *value;
    }
    auto issued_at = text_member(payload, "issued_at");
    auto key = text_member(payload, "signing_key_id");
    if (!issued_at.ok() || !key.ok()) {
        return issued_at.ok() ? std::move(key).error() : std::move(issued_at).error();
    }
    const auto time = parse_time(*issued_at);
    if (!time.ok() || format_time(*time) != *issued_at) {
        return Error::of(ErrorCode::JOB_PAYLOAD_INVALID,
                         "the payload's \"issued_at\" must be YYYY-MM-DDTHH:MM:SS.ffffffZ");
    }
    out.issued_at = *std::move(issued_at);
    out.issued_us = *time;
    out.signing_key_id = *std::move(key);
    return out;
}

Status check_states(const CompilePayload& payload, std::string_view snapshot,
                    std::string_view rules) {
    if (snapshot != "SEALED") {
        return Error::of(ErrorCode::SNAPSHOT_NOT_SEALED,
                         fmt::format("snapshot {} is {}; only a SEALED one is compiled",
                                     payload.snapshot_id.to_string(), snapshot));
    }
    if (rules != "PUBLISHED") {
        return Error::of(
            ErrorCode::RULE_PKG_NOT_PUBLISHED,
            fmt::format("rule package version {} is {}; only a PUBLISHED one compiles passports",
                        payload.rule_package_version_id.to_string(), rules));
    }
    return ok_status();
}

Result<std::shared_ptr<const CachedRules>> read_rules(Step& step, const Uuid& rules,
                                                      const pg::Rows& row, RulesCache& cache) {
    if (auto known = cache.find(row.text(0, 2), row.text(0, 3))) {
        return known;
    }
    const auto sources = step.call(statements::rules::kRuleSources, pg::Params().uuid(rules));
    if (!sources.ok()) {
        return sources.error();
    }
    return cache.add(std::string(sources->text(0, 0)), sources->opt_text(0, 1).value_or(""));
}

Result<passport::CompileInputs> read_inputs(Step& step, const Job& job,
                                            const CompilePayload& payload, PassportTools& tools) {
    pg::Params ids;
    ids.uuid(payload.passport_id).uuid(payload.snapshot_id).uuid(payload.rule_package_version_id);
    step.queue(statements::passport::kCompileInputs, std::move(ids));
    step.queue(statements::snapshots::kSnapshotFacts,
               std::move(pg::Params().uuid(payload.snapshot_id)));
    const auto read = step.flush();
    if (!read.ok()) {
        return read.error();
    }
    const pg::Rows& row = read->at(0);
    if (auto states = check_states(payload, row.text(0, 0), row.text(0, 1)); !states.ok()) {
        return std::move(states).error();
    }
    const auto rules = read_rules(step, payload.rule_package_version_id, row, tools.rules);
    if (!rules.ok()) {
        return rules.error();
    }
    auto facts = read_snapshot_facts(read->at(1));
    if (!facts.ok()) {
        return std::move(facts).error();
    }
    passport::CompileInputs inputs;
    inputs.facts = *std::move(facts);
    inputs.dsl_source = (*rules)->dsl_source;
    inputs.tests_source = (*rules)->tests_source;
    inputs.checked = (*rules)->package;
    inputs.product = {row.uuid(0, 4).to_string(), std::string(row.text(0, 6)),
                      std::string(row.text(0, 5))};
    inputs.issue = {payload.issued_at,
                    job.tenant_id.to_string(),
                    payload.passport_id.to_string(),
                    payload.passport_version_id.to_string(),
                    payload.snapshot_id.to_string(),
                    payload.rule_package_version_id.to_string(),
                    tools.settings.build_id,
                    payload.signing_key_id};
    return inputs;
}

Status store(Step& step, const CompilePayload& payload, const passport::Compiled& compiled,
             const std::string& build_id) {
    const auto root = hex_decode(compiled.receipt.proof_root_hash);
    if (!root.ok()) {
        return root.error();
    }
    pg::Params params;
    params.uuid(payload.passport_version_id)
        .uuid(payload.passport_id)
        .uuid(payload.snapshot_id)
        .uuid(payload.rule_package_version_id)
        .bytea(compiled.payload)
        .bytea(compiled.proof)
        .bytea(*root)
        .bytea(compiled.receipt.unsigned_bytes())
        .text(build_id)
        .timestamp({payload.issued_us})
        .text(payload.signing_key_id);
    step.call_at_end(statements::passport::kStoreCompiled, std::move(params));
    return ok_status();
}

Result<passport::Compiled> compile(Step& step, const Job& job, const CompilePayload& payload,
                                   PassportTools& tools) {
    const auto inputs = read_inputs(step, job, payload, tools);
    if (!inputs.ok()) {
        return inputs.error();
    }
    const auto begun = std::chrono::steady_clock::now();
    auto compiled = passport::compile_passport(*inputs, tools.settings.limits);
    tools.metrics.compile_took(std::chrono::steady_clock::now() - begun);
    return compiled;
}

}  // namespace

Outcome handle_compile_passport(JobContext& context, PassportTools& tools) {
    const auto payload = read_payload(context.job().payload);
    if (!payload.ok()) {
        return Fail{JobError(payload.error())};
    }
    Step step(context);
    const auto compiled = compile(step, context.job(), *payload, tools);
    if (!compiled.ok()) {
        tools.metrics.compiled(false);
        return outcome_of(compiled.error());
    }
    const auto stored = store(step, *payload, *compiled, tools.settings.build_id);
    if (!stored.ok()) {
        return outcome_of(stored.error());
    }
    tools.metrics.compiled(true);
    tools.metrics.sizes(compiled->payload.size(), compiled->proof.size(),
                        compiled->receipt.unsigned_bytes().size());
    return Done{
        Json::object({{"passport_version_id", payload->passport_version_id.to_string()},
                      {"payload_bytes", static_cast<std::uint64_t>(compiled->payload.size())},
                      {"payload_hash", compiled->receipt.payload_hash},
                      {"proof_bytes", static_cast<std::uint64_t>(compiled->proof.size())},
                      {"proof_root_hash", compiled->receipt.proof_root_hash},
                      {"receipt_hash", compiled->receipt.hash()}})};
}

}  // namespace jobforge::services
