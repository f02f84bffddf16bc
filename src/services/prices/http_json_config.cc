#include "services/prices/http_json_config.h"

#include <fmt/format.h>

#include "connect/http/redact_http.h"
#include "prices/match_strength.h"
#include "prices/price_members.h"
#include "services/prices/source_url.h"

namespace jobforge::services {

namespace {

constexpr std::int64_t kMostPages = 50;
constexpr std::int64_t kLongestTimeoutMs = 120'000;
constexpr std::int64_t kMostBytes = 10 << 20;

// A pointer, if the member is there. True if it was.
bool take_pointer(Members& members, std::string_view name, JsonPointer& out) {
    const Json* const value = members.any(name);
    if (value == nullptr) {
        return false;
    }
    const std::string* const text = value->as_string();
    auto pointer = JsonPointer::parse(text == nullptr ? "?" : *text);
    pointer.ok() ? void(out = *std::move(pointer)) : members.fault(name, "a JSON pointer");
    return true;
}

void take_pointer(Members& members, std::string_view name, std::optional<JsonPointer>& out) {
    JsonPointer pointer;
    if (take_pointer(members, name, pointer)) {
        out = std::move(pointer);
    }
}

Status read_fields(const Json& fields, HttpJsonConfig& out) {
    Members members(fields, "fields");
    for (const auto& [name, place] : {std::pair{"title", &out.title}, {"price", &out.price}}) {
        if (!take_pointer(members, name, *place)) {
            members.fault(name, "a JSON pointer");
        }
    }
    take_pointer(members, "currency", out.currency);
    take_pointer(members, "price_type", out.price_type);
    take_pointer(members, "external_id", out.external_id);
    take_pointer(members, "url", out.url);
    take_pointer(members, "observed_at", out.observed_at);
    return members.end_strict();
}

void read_headers(Members& members, HttpJsonConfig& out) {
    const Json* const value = members.any("headers");
    if (value == nullptr) {
        return;
    }
    const Json::Object* const object = value->as_object();
    for (const auto& [name, text] : object == nullptr ? Json::Object() : *object) {
        if (!text.is_string()) {
            members.fault("headers", "an object of texts");
            return;
        }
        if (connect::is_secret_header(name)) {
            members.fault("headers", fmt::format("without {}: name a secret in \"auth\"", name));
            return;
        }
        out.headers.emplace_back(name, *text.as_string());
    }
    if (object == nullptr) {
        members.fault("headers", "an object of texts");
    }
}

void read_price_types(Members& members, HttpJsonConfig& out) {
    std::string fixed;
    members.text("price_type", fixed);
    const auto known = price_type_of(fixed.empty() ? "ask" : fixed);
    known ? void(out.fixed_price_type = *known) : members.fault("price_type", "sold, ask or bid");
    const Json* const words = members.any("price_types");
    if (words == nullptr) {
        return;
    }
    const Json::Object* const object = words->as_object();
    if (object == nullptr) {
        members.fault("price_types", "an object of the API's words");
        return;
    }
    for (const auto& [word, ours] : *object) {
        const auto type = price_type_of(ours.is_string() ? *ours.as_string() : "");
        if (!type) {
            members.fault("price_types", "an object whose values are sold, ask or bid");
            return;
        }
        out.price_types.emplace(word, *type);
    }
}

void read_formats(Members& members, HttpJsonConfig& out) {
    std::string mark = ".", unit = "units", time = "seconds";
    members.text("currency", out.fixed_currency)
        .text("decimal_mark", mark)
        .text("price_in", unit)
        .text("time_in", time);
    if (!out.fixed_currency.empty() && !is_currency(out.fixed_currency)) {
        members.fault("currency", "three capital letters");
    }
    if (mark != "." && mark != ",") {
        members.fault("decimal_mark", "\".\" or \",\"");
    }
    if (unit != "units" && unit != "cents") {
        members.fault("price_in", "units or cents");
    }
    if (time != "seconds" && time != "milliseconds") {
        members.fault("time_in", "seconds or milliseconds");
    }
    out.money = {mark.empty() ? '.' : mark.front(), unit == "cents"};
    out.time_unit_us = time == "seconds" ? 1'000'000 : 1'000;
}

void read_limits(Members& members, HttpJsonConfig& out) {
    std::int64_t timeout_ms = out.timeout.count();
    members.integer("max_pages", out.max_pages, 1, kMostPages)
        .integer("timeout_ms", timeout_ms, 1, kLongestTimeoutMs)
        .integer("max_response_bytes", out.max_response_bytes, 1, kMostBytes)
        .boolean("keep_raw", out.keep_raw);
    out.timeout = std::chrono::milliseconds(timeout_ms);
    take_pointer(members, "next", out.next);
    if (out.max_pages > 1 && !out.next) {
        members.fault("max_pages", "1, or \"next\" must say where the next page is");
    }
    members.share("least_match", out.least_match, kMatchDigits);
}

}  // namespace

Result<HttpJsonConfig> HttpJsonConfig::from_json(const Json& config) {
    HttpJsonConfig out;
    Members members(config);
    members.text("path", out.path);
    if (const auto path = check_path_template(out.path); !path.ok()) {
        return path.error();
    }
    read_headers(members, out);
    if (const Json* const auth = members.any("auth")) {
        auth->is_object() ? void(out.auth = *auth) : members.fault("auth", "an object");
    }
    if (!take_pointer(members, "items", out.items)) {
        members.fault("items", "a JSON pointer");
    }
    const Json* const fields = members.any("fields");
    if (fields == nullptr) {
        members.fault("fields", "an object of JSON pointers");
    } else if (auto read = read_fields(*fields, out); !read.ok()) {
        return std::move(read).error();
    }
    read_price_types(members, out);
    read_formats(members, out);
    read_limits(members, out);
    auto read = members.end_strict();
    return read.ok() ? Result<HttpJsonConfig>(std::move(out)) : std::move(read).error();
}

}  // namespace jobforge::services
