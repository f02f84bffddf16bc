#include "cli/arguments.h"

#include <algorithm>
#include <iostream>
#include <iterator>

#include <fmt/format.h>

#include "base/text/duration_text.h"
#include "base/text/time_text.h"
#include "cli/usage.h"
#include "cli/view/output.h"

namespace jobforge::cli {

namespace {

Result<When> time_argument(std::string_view option, const std::string& text) {
    if (text.empty()) {
        return When();
    }
    auto at = parse_time(text);
    if (!at.ok()) {
        return usage_error(fmt::format("{}: {}", option, at.error().message));
    }
    return When{.at = TimePoint(std::chrono::microseconds(*at)), .from_now = std::nullopt};
}

// For a date the reason is said; "90" and "tomorrow" may have been meant as spans.
bool begins_like_a_date(std::string_view text) {
    return text.size() > 4 && text[4] == '-' &&
           std::all_of(text.begin(), text.begin() + 4, [](char c) { return c >= '0' && c <= '9'; });
}

}  // namespace

Result<When> past_argument(std::string_view option, const std::string& text) {
    if (auto span = parse_duration_ms(text); !text.empty() && span.ok()) {
        return When{.at = std::nullopt, .from_now = std::chrono::milliseconds(-*span)};
    }
    auto at = time_argument(option, text);
    if (!at.ok() && !begins_like_a_date(text)) {
        return usage_error(fmt::format("{}: \"{}\" is neither a time nor a span", option, text),
                           "Write 2h (two hours ago) or 2030-01-31T12:00:00Z.");
    }
    return at;
}

Result<When> from_now_argument(std::string_view option, const std::string& text) {
    if (auto span = parse_duration_ms(text); !text.empty() && span.ok()) {
        return When{.at = std::nullopt, .from_now = std::chrono::milliseconds(*span)};
    }
    auto at = time_argument(option, text);
    if (!at.ok() && !begins_like_a_date(text)) {
        return usage_error(fmt::format("{}: \"{}\" is neither a time nor a span", option, text),
                           "Write 90d (in ninety days) or 2030-01-31T12:00:00Z.");
    }
    return at;
}

Result<When> future_argument(const std::string& at, const std::string& in) {
    if (!at.empty() && !in.empty()) {
        return usage_error("--at and --in exclude each other");
    }
    if (in.empty()) {
        return time_argument("--at", at);
    }
    auto span = parse_duration_ms(in);
    if (!span.ok()) {
        return usage_error(fmt::format("--in: {}", span.error().message),
                           "Write it like 500ms, 30s, 5m, 2h or 1d.");
    }
    return When{.at = std::nullopt, .from_now = std::chrono::milliseconds(*span)};
}

Result<std::optional<TimePoint>> resolve(const When& when, Client& client) {
    if (!when.from_now) {
        return when.at;
    }
    auto now = client.now();
    if (!now.ok()) {
        return std::move(now).error();
    }
    return std::optional(*now + *when.from_now);
}

Result<Uuid> job_argument(const std::string& text) {
    auto id = Uuid::parse(text);
    if (!id.ok()) {
        return usage_error(
            fmt::format("\"{}\" is not a job id", text),
            "An id looks like 01890a5d-ac96-774b-bcce-b302099a8057; see: jobforge jobs list");
    }
    return id;
}

Result<Json> settings_argument(const std::vector<std::string>& settings) {
    Json out = Json::object();
    for (const std::string& setting : settings) {
        const std::size_t equals = setting.find('=');
        if (equals == std::string::npos || equals == 0) {
            return usage_error(fmt::format("\"{}\" is not KEY=VALUE", setting));
        }
        const std::string key = setting.substr(0, equals);
        const std::string text = setting.substr(equals + 1);
        auto value = Json::parse(text);
        const bool plain = value.ok() && !value->is_array() && !value->is_object();
        if (out.find(key) != nullptr) {
            return usage_error(fmt::format("{} is given twice", key));
        }
        out.set(key, plain ? *std::move(value) : Json(text));
    }
    return out;
}

Result<Json> payload_argument(const std::string& text) {
    std::string source = text;
    if (text == "-") {
        source.assign(std::istreambuf_iterator<char>(std::cin), {});
    }
    if (source.empty()) {
        return Json::object();
    }
    auto payload = Json::parse(source);
    if (!payload.ok()) {
        return Error::of(ErrorCode::JOB_PAYLOAD_INVALID,
                         fmt::format("the payload is not JSON: {}", payload.error().message));
    }
    if (!payload->is_object()) {
        return Error::of(ErrorCode::JOB_PAYLOAD_INVALID, "the payload must be a JSON object");
    }
    return payload;
}

}  // namespace jobforge::cli
