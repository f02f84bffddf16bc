#include "cli/commands/use_case.h"

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <thread>

#include <fmt/format.h>

#include "base/crypto/hash.h"
#include "cli/usage.h"
#include "cli/view/output.h"
#include "cli/view/rows_view.h"
#include "statements/session.h"

namespace jobforge::cli {

namespace {

constexpr std::chrono::milliseconds kLook{50};

// Postgres writes bytea in JSON as "\x" and hex digits.
std::optional<std::string_view> hex_of(const Json& value) {
    const std::string* text = value.as_string();
    if (text == nullptr || !text->starts_with("\\x")) {
        return std::nullopt;
    }
    return std::string_view(*text).substr(2);
}

std::string decoded_hex(std::string_view hex) {
    auto bytes = hex_decode(hex);
    return bytes.ok() ? *std::move(bytes) : std::string(hex);
}

Json::Member readable_member(const Json::Member& member) {
    static constexpr std::string_view kCanonical = "_canonical";
    const auto& [name, value] = member;
    const auto hex = hex_of(value);
    if (name.ends_with(kCanonical)) {
        const std::string shorter = name.substr(0, name.size() - kCanonical.size());
        auto document = hex ? Json::parse(decoded_hex(*hex)) : Result<Json>(Json());
        return {shorter, document.ok() ? *std::move(document) : Json(value)};
    }
    if (!hex) {
        return member;
    }
    if (name == "response_body") {
        return {name, Json(decoded_hex(*hex))};
    }
    const bool bytes = name.ends_with("_hash") || name.ends_with("_sha256") ||
                       name == "signature" || name == "public_key";
    return bytes ? Json::Member{name, Json(*hex)} : member;
}

bool ended(const JobSummary& job) {
    return job.status != "QUEUED" && job.status != "RUNNING";
}

}  // namespace

int with_calls(const Context& context, const Work& work) {
    auto calls = context.calls();
    if (!calls.ok()) {
        return context.fail(calls.error());
    }
    auto done = work(*calls);
    return done.ok() ? static_cast<int>(kOk) : context.fail(done.error());
}

Result<Uuid> tenant_of(engine::TenantCalls& calls) {
    if (calls.options().tenant_id) {
        return *calls.options().tenant_id;
    }
    auto row = calls.run_one(statements::session::kCurrentTenant, {}, engine::Repeat::always);
    if (!row.ok()) {
        return std::move(row).error();
    }
    return row->uuid(0, 0);
}

Result<Uuid> id_argument(const IdKind& kind, const std::string& text) {
    auto id = Uuid::parse(text);
    if (id.ok()) {
        return id;
    }
    return usage_error(
        fmt::format("\"{}\" is not {} {}", text, kind.what.starts_with("aggregate") ? "an" : "a",
                    kind.what),
        fmt::format("An id looks like 01890a5d-ac96-774b-bcce-b302099a8057; see: {}", kind.see));
}

Result<std::optional<Uuid>> optional_id_argument(const IdKind& kind, const std::string& text) {
    if (text.empty()) {
        return std::optional<Uuid>();
    }
    auto id = id_argument(kind, text);
    return id.ok() ? Result<std::optional<Uuid>>(std::optional(*id)) : std::move(id).error();
}

Result<std::vector<Uuid>> id_arguments(const IdKind& kind, const std::vector<std::string>& texts) {
    std::vector<Uuid> ids;
    for (const std::string& text : texts) {
        auto id = id_argument(kind, text);
        if (!id.ok()) {
            return std::move(id).error();
        }
        ids.push_back(*id);
    }
    return ids;
}

int with_id(const Context& context, const IdKind& kind, const std::string& text,
            const std::function<Status(engine::TenantCalls&, const Uuid&)>& work) {
    const auto id = id_argument(kind, text);
    if (!id.ok()) {
        return context.fail(id.error());
    }
    return with_calls(context, [&](engine::TenantCalls& calls) { return work(calls, *id); });
}

void add_page_options(Command command, PageOptions& page) {
    command.option("--limit", page.limit, "At most this many").in_range(1, 1000).shows_default();
    command.option("--before", page.before, "The next page: those before this id");
}

void add_wait_options(Command command, WaitOptions& options, const std::string& until) {
    command.flag("--wait", options.wait, "Wait until " + until);
    command.option("--timeout", options.timeout_seconds, "Seconds that --wait waits")
        .in_range(1, 86400)
        .shows_default();
}

Patience::Patience(const WaitOptions& options)
    : deadline_(std::chrono::steady_clock::now() + std::chrono::seconds(options.timeout_seconds)) {}

bool Patience::another_look() {
    std::this_thread::sleep_for(kLook);
    return std::chrono::steady_clock::now() < deadline_;
}

Error error_of_job(const JobSummary& job) {
    const auto code = error_code_from_string(text_member(job.last_error, "code"));
    const std::string message = text_member(job.last_error, "message");
    Error error = Error::of(code.value_or(ErrorCode::INTERNAL_ERROR),
                            fmt::format("the {} job ended {}{}{}", job.type, job.status,
                                        message.empty() ? "" : ": ", message));
    error.hint = fmt::format("See: jobforge jobs show {}", job.job_id.to_string());
    return error;
}

Error still_waiting(Client& client, const Uuid& job_id) {
    Error error =
        Error::of(ErrorCode::TIMEOUT, fmt::format("job {} has not ended yet", job_id.to_string()));
    const auto reasons = client.explain(job_id);
    error.hint = reasons.ok() && !reasons->empty()
                     ? reasons->front()
                     : fmt::format("See: jobforge explain {}", job_id.to_string());
    return error;
}

Result<JobDetails> wait_for_job(Client& client, const Uuid& job_id, Patience& patience) {
    do {
        auto job = client.get(job_id);
        if (!job.ok()) {
            return std::move(job).error();
        }
        if (job->status == "SUCCEEDED") {
            return job;
        }
        if (ended(*job)) {
            return error_of_job(*job);
        }
    } while (patience.another_look());
    return still_waiting(client, job_id);
}

Status wait_if_wanted(const Context& context, const WaitOptions& options, const Uuid& job_id) {
    if (!options.wait) {
        return ok_status();
    }
    auto client = context.client();
    if (!client.ok()) {
        return std::move(client).error();
    }
    Patience patience(options);
    auto job = wait_for_job(*client, job_id, patience);
    return job.ok() ? ok_status() : Status(std::move(job).error());
}

Json readable(const Json& row) {
    const Json::Object* members = row.as_object();
    if (members == nullptr) {
        return row;
    }
    Json::Object out;
    out.reserve(members->size());
    std::transform(members->begin(), members->end(), std::back_inserter(out), readable_member);
    return Json(std::move(out));
}

Status show_rows(const Context& context, Result<std::vector<Json>> rows,
                 std::initializer_list<std::string_view> members) {
    if (!rows.ok()) {
        return std::move(rows).error();
    }
    std::transform(rows->begin(), rows->end(), rows->begin(), readable);
    print(context.json ? rows_as_json(*rows) : rows_as_table(*rows, members));
    return ok_status();
}

Status show_row(const Context& context, Result<Json> row) {
    if (!row.ok()) {
        return std::move(row).error();
    }
    const Json out = readable(*row);
    print(context.json ? out.dump() + "\n" : row_as_text(out));
    return ok_status();
}

void print_id(const Context& context, std::string_view member, const Uuid& id, const Json& more) {
    if (!context.json) {
        print_line(id.to_string());
        return;
    }
    Json out = Json::object({{std::string(member), id.to_string()}});
    if (const Json::Object* members = more.as_object()) {
        for (const auto& [key, value] : *members) {
            out.set(key, value);
        }
    }
    print_line(out.dump());
}

void remark(const Context& context, std::string_view text) {
    if (!context.json) {
        std::fputs(fmt::format("{}\n", text).c_str(), stderr);
    }
}

std::string text_member(const Json& row, std::string_view member) {
    const Json* value = row.find(member);
    const std::string* text = value == nullptr ? nullptr : value->as_string();
    return text == nullptr ? std::string() : *text;
}

}  // namespace jobforge::cli
