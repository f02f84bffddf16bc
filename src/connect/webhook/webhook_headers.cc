#include "connect/webhook/webhook_headers.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/crypto/hash.h"
#include "base/crypto/hmac.h"
#include "base/text/base64.h"
#include "base/text/bytes.h"

namespace jobforge::connect {

namespace {

constexpr std::string_view kSecretPrefix = "whsec_";
constexpr std::size_t kShortestKey = 24;
constexpr std::size_t kLongestKey = 64;

Error invalid(std::string message) {
    return Error::of(ErrorCode::VALIDATION_ERROR, std::move(message));
}

// The key behind `whsec_`.
Result<std::string> key_of(std::string_view secret) {
    if (secret.starts_with(kSecretPrefix)) {
        auto key = base64_decode(secret.substr(kSecretPrefix.size()));
        if (key.ok() && key->size() >= kShortestKey && key->size() <= kLongestKey) {
            return key;
        }
    }
    Error error = invalid("a webhook secret is malformed");
    error.hint = "a secret is whsec_ and the base64 of 24 to 64 random bytes";
    return error;
}

// Ids and types stand in headers and, with dots between, in the signed text: a dot of their own
// would let one message's signature fit another.
bool is_plain(std::string_view text) noexcept {
    return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               c == '-' || c == '_';
    });
}

Result<std::string> standard_signatures(std::span<const std::string> secrets,
                                        const WebhookMessage& message) {
    const std::string signed_text =
        fmt::format("{}.{}.{}", message.delivery_id, message.unix_time, message.body);
    std::string signatures;
    for (const std::string& secret : secrets) {
        const auto key = key_of(secret);
        if (!key.ok()) {
            return key.error();
        }
        signatures += fmt::format("{}v1,{}", signatures.empty() ? "" : " ",
                                  base64_encode(bytes_of(hmac_sha256(*key, signed_text))));
    }
    return signatures;
}

}  // namespace

Result<HttpHeaders> webhook_headers(std::span<const std::string> secrets,
                                    const WebhookMessage& message) {
    if (secrets.empty()) {
        return invalid("a webhook needs a secret to be signed with");
    }
    if (!is_plain(message.event_type) || !is_plain(message.delivery_id)) {
        return invalid("a webhook's event type and delivery id hold letters, digits, - and _ only");
    }
    auto signatures = standard_signatures(secrets, message);
    if (!signatures.ok()) {
        return std::move(signatures).error();
    }
    const std::string time = fmt::format("{}", message.unix_time);
    const std::string id(message.delivery_id);
    const Sha256 digest = hmac_sha256(secrets.front(), message.body);
    return HttpHeaders{
        {"Content-Type", "application/json"},
        {"X-BPC-Signature", "sha256=" + hex_encode(bytes_of(digest))},
        {"X-BPC-Event-Type", std::string(message.event_type)},
        {"X-BPC-Delivery-Id", id},
        {"X-BPC-Timestamp", time},
        {"webhook-id", id},
        {"webhook-timestamp", time},
        {"webhook-signature", std::move(signatures).value()},
    };
}

Result<std::string> webhook_secret_of(std::string_view random_bytes) {
    if (random_bytes.size() < kShortestKey || random_bytes.size() > kLongestKey) {
        return invalid(fmt::format("a webhook secret has {} to {} bytes, not {}", kShortestKey,
                                   kLongestKey, random_bytes.size()));
    }
    return std::string(kSecretPrefix) + base64_encode(random_bytes);
}

}  // namespace jobforge::connect
