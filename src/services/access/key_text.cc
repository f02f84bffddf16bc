#include "services/access/key_text.h"

#include <algorithm>
#include <array>
#include <cstring>

#include <fmt/format.h>

#include "base/crypto/hmac.h"
#include "base/text/base32.h"
#include "base/text/base64.h"
#include "base/text/bytes.h"
#include "base/text/trimmed.h"
#include "services/secrets/secret_file.h"

namespace jobforge::services {

namespace {

constexpr std::size_t kIdBytes = 10;
constexpr std::size_t kIdLength = 16;
constexpr std::size_t kSecretBytes = 32;
constexpr std::size_t kSecretLength = 52;
constexpr std::size_t kPepperBytes = 32;
constexpr std::string_view kPrefix = "jf";
constexpr std::string_view kPlatformPrefix = "jfp";

// base32 in lower case: no character that anybody takes for another, none that needs an escape.
bool is_base32(std::string_view text, std::size_t length) noexcept {
    return text.size() == length && std::all_of(text.begin(), text.end(), [](char c) {
               return (c >= 'a' && c <= 'z') || (c >= '2' && c <= '7');
           });
}

bool is_environment(std::string_view text) noexcept {
    return !text.empty() && text.size() <= 16 && std::all_of(text.begin(), text.end(), [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
    });
}

Result<std::string> random_base32(std::size_t bytes) {
    const auto random = random_bytes(bytes);
    if (!random.ok()) {
        return random.error();
    }
    std::string text = base32_encode(*random);
    for (char& c : text) {
        c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    }
    return text;
}

Error no_key() {
    Error error = Error::of(ErrorCode::UNAUTHORIZED, "this is not an API key");
    error.hint = "Keys look like jf_<env>_<id>_<secret>: send Authorization: Bearer <key>.";
    return error;
}

bool is_bearer(std::string_view scheme) noexcept {
    constexpr std::string_view kBearer = "bearer";
    return std::equal(scheme.begin(), scheme.end(), kBearer.begin(), kBearer.end(),
                      [](char a, char b) { return (a >= 'A' && a <= 'Z' ? a + 32 : a) == b; });
}

}  // namespace

bool is_key_id(std::string_view text) noexcept {
    return is_base32(text, kIdLength);
}

Result<ApiKeyText> ApiKeyText::make(std::string_view environment, KeyKind kind) {
    if (!is_environment(environment)) {
        return Error::of(ErrorCode::VALIDATION_ERROR,
                         "the environment of a key has 1 to 16 lower-case letters and digits");
    }
    auto key_id = random_base32(kIdBytes);
    auto secret = random_base32(kSecretBytes);
    if (!key_id.ok() || !secret.ok()) {
        return key_id.ok() ? std::move(secret).error() : std::move(key_id).error();
    }
    return ApiKeyText{std::string(environment), *std::move(key_id), *std::move(secret), kind};
}

Result<ApiKeyText> ApiKeyText::parse(std::string_view text) {
    std::array<std::string_view, 4> parts;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        const std::size_t end = i + 1 < parts.size() ? text.find('_') : text.size();
        if (end == std::string_view::npos) {
            return no_key();
        }
        parts[i] = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    const auto [prefix, environment, key_id, secret] = parts;
    if ((prefix != kPrefix && prefix != kPlatformPrefix) || !is_environment(environment) ||
        !is_key_id(key_id) || !is_base32(secret, kSecretLength)) {
        return no_key();
    }
    return ApiKeyText{std::string(environment), std::string(key_id), std::string(secret),
                      prefix == kPlatformPrefix ? KeyKind::platform : KeyKind::tenant};
}

Result<ApiKeyText> ApiKeyText::from_authorization(std::string_view header) {
    const std::string_view value = trimmed(header, kBlankBytes);
    const std::size_t space = value.find(' ');
    if (space == std::string_view::npos || !is_bearer(value.substr(0, space))) {
        Error error = Error::of(ErrorCode::UNAUTHORIZED, "this needs an API key");
        error.hint = "Send it as: Authorization: Bearer jf_...";
        return error;
    }
    return parse(trimmed(value.substr(space), kBlankBytes));
}

std::string ApiKeyText::text() const {
    return fmt::format("{}_{}_{}_{}", kind == KeyKind::platform ? kPlatformPrefix : kPrefix,
                       environment, key_id, secret);
}

Pepper::~Pepper() {
    if (!bytes_.empty()) {  // it was moved away
        explicit_bzero(bytes_.data(), bytes_.size());
    }
}

Result<Pepper> Pepper::from_base64(std::string_view text) {
    auto bytes = base64_decode(trimmed(text, kBlankBytes));
    if (!bytes.ok() || bytes->size() < kPepperBytes) {
        Error error = Error::of(ErrorCode::CONFIG_MISSING,
                                "the pepper must be the base64 of 32 random bytes or more");
        error.hint = "Make one: openssl rand -base64 32. Set BPC_API_KEY_PEPPER_BASE64.";
        return error;
    }
    Pepper pepper(*bytes);
    explicit_bzero(bytes->data(), bytes->size());
    return pepper;
}

Sha256 Pepper::mac(const ApiKeyText& key) const {
    return hmac_sha256({bytes_.data(), bytes_.size()}, key.text());
}

Sha256 Pepper::fingerprint() const {
    return hmac_sha256({bytes_.data(), bytes_.size()}, "fingerprint of a jobforge pepper, form 1");
}

bool Pepper::matches(const ApiKeyText& key, std::optional<std::string_view> stored) const {
    const Sha256 no_key{};  // compared with what no key can have
    const bool equal =
        equal_in_constant_time(bytes_of(mac(key)), stored.value_or(bytes_of(no_key)));
    return equal && stored.has_value();
}

}  // namespace jobforge::services
