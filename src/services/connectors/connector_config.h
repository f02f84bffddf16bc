// What a tenant has settled for one of its connectors, and how a payload narrows it. Pure.
//
// A row of connector_configs holds defaults that are also limits: a payload may ask for less time,
// fewer bytes, fewer redirects and fewer hosts, never for more. What it asks beyond the limit is
// cut down to it. Headers of the configuration are sent with every request, and a payload's header
// of the same name gives way.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <jobforge/json.h>

#include "connect/http/outgoing_message.h"

namespace jobforge::services {

struct ConnectorConfig {
    bool enabled = true;
    std::vector<std::string> allowlist;  // empty: every host
    std::optional<std::int64_t> timeout_ms, max_response_bytes, follow_redirects;
    connect::HttpHeaders headers;
    std::vector<std::string> redact_headers;
    std::optional<std::int32_t> requests_per_minute;

    // As get_connector_config answers it; members it does not know are the database's business.
    [[nodiscard]] static ConnectorConfig of(const Json& config);
};

// The payload's number if it has one, else the configured one, else `otherwise`; never more than
// the configured one.
[[nodiscard]] std::int64_t narrowed(const Json& payload, std::string_view member,
                                    const std::optional<std::int64_t>& configured,
                                    std::int64_t otherwise);

// The configured headers and those of the payload's "headers" that the configuration does not fix.
[[nodiscard]] connect::HttpHeaders joined_headers(const connect::HttpHeaders& configured,
                                                  const Json& payload);

// Members that the schema has checked already: empty if there is none.
[[nodiscard]] std::vector<std::string> texts_of(const Json* array);
[[nodiscard]] std::string text_of(const Json& object, std::string_view member,
                                  std::string_view otherwise = "");

}  // namespace jobforge::services
