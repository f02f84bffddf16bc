#include "services/connectors/delivery_headers.h"

#include <fmt/format.h>

#include "base/crypto/hash.h"
#include "base/crypto/hmac.h"
#include "base/text/base64.h"
#include "base/text/bytes.h"

namespace jobforge::services {

namespace {

constexpr std::string_view kStandardPrefix = "whsec_";

std::string signature(const EventDelivery& delivery, std::string_view body,
                      std::string_view secret) {
    return delivery.sha512 ? "sha512=" + hex_encode(bytes_of(hmac_sha512(secret, body)))
                           : "sha256=" + hex_encode(bytes_of(hmac_sha256(secret, body)));
}

std::string standard_key(std::string_view secret) {
    if (secret.starts_with(kStandardPrefix)) {
        if (auto key = base64_decode(secret.substr(kStandardPrefix.size())); key.ok()) {
            return *std::move(key);
        }
    }
    return std::string(secret);
}

}  // namespace

std::string delivery_body(const EventDelivery& delivery) {
    return Json::object({{"data", delivery.data},
                         {"event_id", delivery.event_id},
                         {"event_type", delivery.event_type},
                         {"timestamp", delivery.unix_time}})
        .dump();
}

connect::HttpHeaders delivery_headers(const EventDelivery& delivery, std::string_view body,
                                      std::string_view secret) {
    const std::string time = fmt::format("{}", delivery.unix_time);
    const std::string signed_text = fmt::format("{}.{}.{}", delivery.event_id, time, body);
    return {
        {"Content-Type", "application/json"},
        {"X-JobForge-Event", delivery.event_type},
        {"X-JobForge-Event-ID", delivery.event_id},
        {"X-JobForge-Timestamp", time},
        {"X-JobForge-Delivery-Attempt", fmt::format("{}", delivery.attempt)},
        {"X-JobForge-Signature", signature(delivery, body, secret)},
        {"webhook-id", delivery.event_id},
        {"webhook-timestamp", time},
        {"webhook-signature",
         "v1," + base64_encode(bytes_of(hmac_sha256(standard_key(secret), signed_text)))},
    };
}

}  // namespace jobforge::services
