#include "services/connectors/connector_config.h"

#include <algorithm>

#include "values/number_order.h"

namespace jobforge::services {

namespace {

std::optional<std::int64_t> number_of(const Json& object, std::string_view member) {
    const Json* value = object.find(member);
    const auto text = value == nullptr ? std::nullopt : value->number_text();
    return text ? whole_number(*text) : std::nullopt;
}

connect::HttpHeaders headers_of(const Json* object) {
    connect::HttpHeaders headers;
    if (object == nullptr || !object->is_object()) {
        return headers;
    }
    for (const auto& [name, value] : *object->as_object()) {
        if (const std::string* text = value.as_string()) {
            headers.emplace_back(name, *text);
        }
    }
    return headers;
}

}  // namespace

ConnectorConfig ConnectorConfig::of(const Json& config) {
    ConnectorConfig out;
    if (const Json* enabled = config.find("enabled")) {
        out.enabled = enabled->as_bool().value_or(true);
    }
    out.allowlist = texts_of(config.find("allowlist"));
    out.timeout_ms = number_of(config, "timeout_ms");
    out.max_response_bytes = number_of(config, "max_response_bytes");
    out.follow_redirects = number_of(config, "follow_redirects");
    out.headers = headers_of(config.find("headers"));
    out.redact_headers = texts_of(config.find("redact_headers"));
    if (const auto rate = number_of(config, "requests_per_minute")) {
        out.requests_per_minute = static_cast<std::int32_t>(*rate);
    }
    return out;
}

std::int64_t narrowed(const Json& payload, std::string_view member,
                      const std::optional<std::int64_t>& configured, std::int64_t otherwise) {
    const auto asked = number_of(payload, member);
    if (!configured) {
        return asked.value_or(otherwise);
    }
    return std::min(asked.value_or(*configured), *configured);
}

connect::HttpHeaders joined_headers(const connect::HttpHeaders& configured, const Json& payload) {
    connect::HttpHeaders headers = configured;
    for (auto& [name, value] : headers_of(payload.find("headers"))) {
        const bool fixed = std::ranges::any_of(
            configured, [&](const auto& header) { return connect::same_name(header.first, name); });
        if (!fixed) {
            headers.emplace_back(std::move(name), std::move(value));
        }
    }
    return headers;
}

std::vector<std::string> texts_of(const Json* array) {
    std::vector<std::string> texts;
    if (array == nullptr || !array->is_array()) {
        return texts;
    }
    for (const Json& item : *array->as_array()) {
        if (const std::string* text = item.as_string()) {
            texts.push_back(*text);
        }
    }
    return texts;
}

std::string text_of(const Json& object, std::string_view member, std::string_view otherwise) {
    const Json* value = object.find(member);
    const std::string* text = value == nullptr ? nullptr : value->as_string();
    return text == nullptr ? std::string(otherwise) : *text;
}

}  // namespace jobforge::services
