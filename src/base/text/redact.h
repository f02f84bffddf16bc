// Keeping secrets out of logs, errors and results. Pure.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace jobforge {

inline constexpr std::string_view kRedacted = "[redacted]";

// Knows a set of secrets and blanks them out of any text, as they are and as they look inside a
// JSON string or a URL. Overlapping occurrences are blanked as one, so that no rest remains.
//
// Threads: build it once, then share it; `apply` is const and may run in many threads at a time.
class Redactor final {
public:
    // A shorter secret is not searched for: blanking every "a" would destroy the log and, by what
    // is missing, tell the secret.
    static constexpr std::size_t kShortestSecret = 3;

    Redactor() = default;
    explicit Redactor(const std::vector<std::string>& secrets);

    // Not to be called while other threads use this Redactor.
    void add(std::string_view secret);

    // `text` with "[redacted]" for every occurrence of every secret.
    [[nodiscard]] std::string apply(std::string_view text) const;
    [[nodiscard]] bool empty() const noexcept { return forms_ == 0; }

private:
    void add_form(std::string form);
    [[nodiscard]] std::size_t longest_match(std::string_view text) const noexcept;

    std::array<std::vector<std::string>, 256> by_first_byte_;
    std::size_t forms_ = 0;
};

// `text` with "[redacted]" for the passwords of connection strings in it:
// scheme://user:PASSWORD@host, password=PASSWORD (sslpassword= too) of libpq's keyword form, quoted
// or not, and of query strings. Errs on the side of hiding: a malformed URL may lose more than its
// password.
[[nodiscard]] std::string redact_url(std::string_view text);

// The passwords that redact_url would hide, as written and decoded (percent, libpq's quotes): what
// a Redactor must know about a configured URL.
[[nodiscard]] std::vector<std::string> passwords_in_url(std::string_view text);

}  // namespace jobforge
