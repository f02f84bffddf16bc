#include "base/text/redact.h"

#include <algorithm>

#include <jobforge/json.h>

namespace jobforge {
namespace {

// Everything but unreserved characters (RFC 3986) as %XX, upper case: what URL libraries write.
std::string percent_encoded(std::string_view text) {
    constexpr std::string_view kDigits = "0123456789ABCDEF";
    constexpr std::string_view kUnreserved =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~";
    std::string encoded;
    for (const char c : text) {
        if (kUnreserved.find(c) != std::string_view::npos) {
            encoded += c;
            continue;
        }
        const auto byte = static_cast<unsigned char>(c);
        encoded += '%';
        encoded += kDigits[byte >> 4];
        encoded += kDigits[byte & 0x0F];
    }
    return encoded;
}

}  // namespace

Redactor::Redactor(const std::vector<std::string>& secrets) {
    for (const std::string& secret : secrets) {
        add(secret);
    }
}

void Redactor::add(std::string_view secret) {
    if (secret.size() < kShortestSecret) {
        return;
    }
    const std::string quoted = json_quote(secret);
    add_form(std::string(secret));
    add_form(quoted.substr(1, quoted.size() - 2));
    add_form(percent_encoded(secret));
}

void Redactor::add_form(std::string form) {
    std::vector<std::string>& bucket = by_first_byte_[static_cast<unsigned char>(form.front())];
    if (std::ranges::find(bucket, form) != bucket.end()) {
        return;
    }
    bucket.push_back(std::move(form));
    // Longest first, so that the first match is the longest.
    std::ranges::sort(bucket, std::ranges::greater(), &std::string::size);
    ++forms_;
}

std::size_t Redactor::longest_match(std::string_view text) const noexcept {
    for (const std::string& form : by_first_byte_[static_cast<unsigned char>(text.front())]) {
        if (text.starts_with(form)) {
            return form.size();
        }
    }
    return 0;
}

std::string Redactor::apply(std::string_view text) const {
    if (empty()) {
        return std::string(text);
    }
    std::string out;
    out.reserve(text.size());
    std::size_t hidden_until = 0;  // text before it belongs to an occurrence
    for (std::size_t at = 0; at < text.size(); ++at) {
        const std::size_t length = longest_match(text.substr(at));
        if (length != 0) {
            if (at >= hidden_until) {
                out += kRedacted;
            }
            hidden_until = std::max(hidden_until, at + length);
        }
        if (at >= hidden_until) {
            out += text[at];
        }
    }
    return out;
}

}  // namespace jobforge
