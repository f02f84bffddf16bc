// jobforge passports compile PASSPORT --snapshot ID --rules ID [--wait]
//
// One request starts three jobs, each made by the one before: COMPILE_PASSPORT, SIGN_PASSPORT and
// GENERATE_QR. Waiting means looking at the version, and at those jobs for one that ended badly.
#include <algorithm>

#include <fmt/format.h>

#include "base/text/time_text.h"
#include "cli/arguments.h"
#include "cli/commands/passports_commands.h"
#include "cli/commands/use_case.h"
#include "cli/usage.h"
#include "cli/view/output.h"
#include "services/passport/passports.h"

namespace jobforge::cli {

namespace {

struct CompileOptions {
    std::string passport;
    std::string snapshot;
    std::string rules;
    std::string key_id;
    std::string issued_at;
    std::string version;
    WaitOptions wait;
};

Result<services::CompileRequest> to_request(const Context& context, const CompileOptions& options) {
    const auto passport = id_argument(kPassportId, options.passport);
    const auto snapshot = id_argument(kSnapshotId, options.snapshot);
    const auto rules = id_argument(kRulesId, options.rules);
    for (const auto* id : {&passport, &snapshot, &rules}) {
        if (!id->ok()) {
            return id->error();
        }
    }
    const auto version = optional_id_argument(kVersionId, options.version);
    if (!version.ok()) {
        return version.error();
    }
    services::CompileRequest request{
        .passport_id = *passport,
        .snapshot_id = *snapshot,
        .rule_package_version_id = *rules,
        .signing_key_id = options.key_id.empty() ? context.config.signing_key_id : options.key_id,
        .issued_at = {},
        .passport_version_id = *version,
        .actor_id = kActor};
    if (!options.issued_at.empty()) {
        const auto at = parse_time(options.issued_at);
        if (!at.ok()) {
            return usage_error("--issued-at: " + at.error().message);
        }
        request.issued_at = TimePoint(std::chrono::microseconds(*at));
    }
    return request;
}

bool ended_badly(const JobSummary& job) {
    return job.status == "FAILED" || job.status == "DEAD_LETTER" || job.status == "CANCELLED";
}

// The jobs of one version, as far as they exist.
class Pipeline final {
public:
    Pipeline(Client& client, const services::RequestedCompile& requested)
        : client_(client), requested_(requested) {}

    // The error of the job that ended badly; ok while none did.
    [[nodiscard]] Status check() {
        const auto compile = client_.get(requested_.job_id);
        if (!compile.ok()) {
            return compile.error();
        }
        current_ = compile->job_id;
        if (ended_badly(*compile)) {
            return error_of_job(*compile);
        }
        if (compile->status != "SUCCEEDED") {
            return ok_status();
        }
        if (auto sign = check_follow_up("SIGN_PASSPORT", "sign-", compile->created_at);
            !sign.ok()) {
            return sign;
        }
        return check_follow_up("GENERATE_QR", "qr-", compile->created_at);
    }
    // The job that is waited for.
    [[nodiscard]] const Uuid& current() const noexcept { return current_; }

private:
    [[nodiscard]] Status check_follow_up(const std::string& type, const std::string& prefix,
                                         TimePoint since) {
        JobFilter filter;
        filter.type = type;
        filter.created_after = since;
        filter.limit = 1000;
        const auto jobs = client_.list(filter);
        if (!jobs.ok()) {
            return jobs.error();
        }
        const std::string key = prefix + requested_.passport_version_id.to_string();
        const auto job = std::find_if(jobs->begin(), jobs->end(), [&key](const JobSummary& one) {
            return one.idempotency_key == key;
        });
        if (job == jobs->end()) {
            return ok_status();
        }
        current_ = job->job_id;
        return ended_badly(*job) ? Status(error_of_job(*job)) : ok_status();
    }

    Client& client_;
    services::RequestedCompile requested_;
    Uuid current_;
};

// Signed, and with its QR code.
Result<bool> is_complete(engine::TenantCalls& calls, const Uuid& version) {
    auto row = services::get_passport_version(calls, version);
    if (!row.ok()) {
        return row.error().code == ErrorCode::NOT_FOUND ? Result<bool>(false)
                                                        : Result<bool>(std::move(row).error());
    }
    return !text_member(*row, "qr_payload").empty();
}

Status wait_for_version(const Context& context, const WaitOptions& options,
                        engine::TenantCalls& calls, const services::RequestedCompile& requested) {
    auto client = context.client();
    if (!client.ok()) {
        return std::move(client).error();
    }
    Pipeline pipeline(*client, requested);
    Patience patience(options);
    do {
        const auto complete = is_complete(calls, requested.passport_version_id);
        if (!complete.ok()) {
            return complete.error();
        }
        if (*complete) {
            return ok_status();
        }
        if (auto checked = pipeline.check(); !checked.ok()) {
            return checked;
        }
    } while (patience.another_look());
    return still_waiting(*client, pipeline.current());
}

int run_compile(const Context& context, const CompileOptions& options) {
    const auto request = to_request(context, options);
    if (!request.ok()) {
        return context.fail(request.error());
    }
    return with_calls(context, [&](engine::TenantCalls& calls) -> Status {
        const auto requested = services::request_compile(calls, *request);
        if (!requested.ok()) {
            return requested.error();
        }
        print_id(context, "passport_version_id", requested->passport_version_id,
                 Json::object({{"job_id", requested->job_id.to_string()},
                               {"issued_at", to_json(std::optional(requested->issued_at))}}));
        return options.wait.wait ? wait_for_version(context, options.wait, calls, *requested)
                                 : ok_status();
    });
}

}  // namespace

void add_passports_compile(Command passports, Context& context) {
    auto options = std::make_shared<CompileOptions>();
    Command command = add_verb(
        passports, context, options, "compile",
        "Enqueue a new version: compiled, signed, with a QR code; prints its id", &run_compile);
    command.option("PASSPORT", options->passport, "Passport id").required();
    command.option("--snapshot", options->snapshot, "A SEALED snapshot").required();
    command.option("--rules", options->rules, "A PUBLISHED rule package version").required();
    command.option("--key-id", options->key_id, "Who signs; default: BPC_SIGNING_KEY_ID");
    command.option("--issued-at", options->issued_at, "Default: now, by the database's clock");
    command.option("--id", options->version,
                   "An id of your own for the version: then repeating is harmless");
    add_wait_options(command, options->wait, "it is SIGNED and has its QR code, or a job fails");
}

}  // namespace jobforge::cli
