// The text of an API key: jf_<env>_<id>_<secret>, or jfp_<env>_<id>_<secret> for a platform key.
//
// env is BPC_ENV (a key of the test system is refused by the live one before anybody is asked), id
// 16 characters of base32 (80 random bits, no secret: it stands in lists and audit events), secret
// 52 characters of base32 (256 random bits). The database keeps an HMAC-SHA-256 of the whole text
// under a pepper that it does not have: a stolen table opens nothing, and a row's mac is of no use
// in another row. Pure apart from make(); any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <jobforge/error.h>

#include "base/crypto/hash.h"

namespace jobforge::services {

// A tenant's key acts for that tenant, a platform key administers all of them.
enum class KeyKind : std::uint8_t { tenant, platform };

struct ApiKeyText {
    std::string environment;
    std::string key_id;
    std::string secret;
    KeyKind kind = KeyKind::tenant;

    // A new key. `environment` is [a-z0-9]{1,16}. CONFIG_MISSING if the system gives no randomness.
    [[nodiscard]] static Result<ApiKeyText> make(std::string_view environment,
                                                 KeyKind kind = KeyKind::tenant);
    // UNAUTHORIZED; the message never quotes the text.
    [[nodiscard]] static Result<ApiKeyText> parse(std::string_view text);
    // The key of "Authorization: Bearer <key>" (the scheme in any case). UNAUTHORIZED.
    [[nodiscard]] static Result<ApiKeyText> from_authorization(std::string_view header);

    [[nodiscard]] std::string text() const;
};

// Whether a text has the form of a key's id.
[[nodiscard]] bool is_key_id(std::string_view text) noexcept;

// What turns keys into what is stored of them. Wiped on destruction.
class Pepper final {
public:
    // Base64 of 32 bytes or more; white space around it is ignored. CONFIG_MISSING; never quotes
    // the text.
    [[nodiscard]] static Result<Pepper> from_base64(std::string_view text);
    Pepper(Pepper&&) noexcept = default;
    Pepper& operator=(Pepper&&) noexcept = default;
    Pepper(const Pepper&) = delete;
    Pepper& operator=(const Pepper&) = delete;
    ~Pepper();

    [[nodiscard]] Sha256 mac(const ApiKeyText& key) const;
    // Tells peppers apart and nothing else of them: an HMAC of a fixed text that is not a key.
    [[nodiscard]] Sha256 fingerprint() const;
    // Whether `stored` is the key's mac; nullopt: that id does not exist, and nothing matches. An
    // answer of the same time in each case: an unknown id looks like a wrong secret.
    [[nodiscard]] bool matches(const ApiKeyText& key, std::optional<std::string_view> stored) const;

private:
    explicit Pepper(std::string_view bytes) : bytes_(bytes.begin(), bytes.end()) {}
    std::vector<char> bytes_;
};

}  // namespace jobforge::services
