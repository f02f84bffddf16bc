// Where passwords stand in connection strings.
#include <algorithm>
#include <charconv>

#include "base/text/redact.h"

namespace jobforge {
namespace {

struct Span {
    std::size_t begin;
    std::size_t end;
};

constexpr std::string_view kSpace = " \t\r\n";
constexpr auto kNone = std::string_view::npos;

bool is_word(char c) noexcept {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

std::size_t find_end(std::string_view text, std::string_view stops, std::size_t from) noexcept {
    return std::min(text.find_first_of(stops, from), text.size());
}

// The password of the URL whose "//" ends at `start`.
void find_in_authority(std::string_view text, std::size_t start, std::vector<Span>& spans) {
    const std::size_t url_end = find_end(text, " \t\r\n\"'<>", start);
    const std::size_t authority_end = std::min(find_end(text, "/?#", start), url_end);
    const std::string_view authority = text.substr(start, authority_end - start);
    const std::size_t colon = authority.find(':');
    if (colon == kNone || authority.starts_with('[')) {
        return;
    }
    std::size_t at_sign = authority.rfind('@');
    if (at_sign == kNone) {
        // An unescaped / ? or # in a password ends the authority early. What stands behind the
        // colon is then no port, and an @ follows somewhere.
        const bool port = std::ranges::all_of(authority.substr(colon + 1), [](char c) {
            return (c >= '0' && c <= '9') || c == ',' || c == ':';
        });
        at_sign = port ? kNone : text.substr(start, url_end - start).rfind('@');
    }
    if (at_sign != kNone && at_sign > colon + 1) {
        spans.push_back({start + colon + 1, start + at_sign});
    }
}

void find_in_urls(std::string_view text, std::vector<Span>& spans) {
    for (std::size_t at = text.find("://"); at != kNone; at = text.find("://", at + 3)) {
        find_in_authority(text, at + 3, spans);
    }
}

// The end of a value in libpq's keyword form, where a backslash takes the next character along.
std::size_t keyword_value_end(std::string_view text, std::size_t at, std::string_view stops) {
    while (at < text.size() && stops.find(text[at]) == kNone) {
        at += text[at] == '\\' ? 2U : 1U;
    }
    return std::min(at, text.size());
}

Span keyword_value(std::string_view text, std::size_t equals) {
    const std::size_t start = std::min(text.find_first_not_of(kSpace, equals + 1), text.size());
    if (start < text.size() && text[start] == '\'') {
        return {start + 1, keyword_value_end(text, start + 1, "'")};
    }
    return {start, keyword_value_end(text, start, kSpace)};
}

void find_in_keywords(std::string_view text, std::vector<Span>& spans) {
    constexpr std::string_view kWord = "password";
    const auto same_letter = [](char a, char b) { return (a | 0x20) == b; };
    for (auto found = text.begin();;) {
        found = std::search(found, text.end(), kWord.begin(), kWord.end(), same_letter);
        if (found == text.end()) {
            return;
        }
        auto word_start = static_cast<std::size_t>(found - text.begin());
        found += static_cast<std::ptrdiff_t>(kWord.size());
        const std::size_t equals =
            text.find_first_not_of(kSpace, static_cast<std::size_t>(found - text.begin()));
        if (equals == kNone || text[equals] != '=') {
            continue;
        }
        while (word_start > 0 && is_word(text[word_start - 1])) {
            --word_start;
        }
        const bool query =
            word_start > 0 && (text[word_start - 1] == '?' || text[word_start - 1] == '&');
        const Span span = query ? Span{equals + 1, find_end(text, "&#\"'<> \t\r\n", equals + 1)}
                                : keyword_value(text, equals);
        if (span.end > span.begin) {
            spans.push_back(span);
        }
    }
}

// In order and apart: overlapping spans become one.
std::vector<Span> password_spans(std::string_view text) {
    std::vector<Span> spans;
    find_in_urls(text, spans);
    find_in_keywords(text, spans);
    std::ranges::sort(spans, {}, &Span::begin);
    std::vector<Span> merged;
    for (const Span& span : spans) {
        if (!merged.empty() && span.begin < merged.back().end) {
            merged.back().end = std::max(merged.back().end, span.end);
        } else {
            merged.push_back(span);
        }
    }
    return merged;
}

std::string percent_decoded(std::string_view text) {
    std::string decoded;
    for (std::size_t i = 0; i < text.size(); ++i) {
        unsigned value = 0;
        if (text[i] == '%' && text.size() - i > 2) {
            const char* const digits = text.data() + i + 1;
            if (std::from_chars(digits, digits + 2, value, 16).ptr == digits + 2) {
                decoded += static_cast<char>(value);
                i += 2;
                continue;
            }
        }
        decoded += text[i];
    }
    return decoded;
}

std::string without_backslashes(std::string_view text) {
    std::string plain;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '\\' && i + 1 < text.size()) {
            ++i;
        }
        plain += text[i];
    }
    return plain;
}

}  // namespace

std::string redact_url(std::string_view text) {
    std::string out;
    std::size_t copied = 0;
    for (const Span& span : password_spans(text)) {
        out += text.substr(copied, span.begin - copied);
        out += kRedacted;
        copied = span.end;
    }
    out += text.substr(copied);
    return out;
}

std::vector<std::string> passwords_in_url(std::string_view text) {
    std::vector<std::string> passwords;
    for (const Span& span : password_spans(text)) {
        const std::string_view written = text.substr(span.begin, span.end - span.begin);
        for (std::string form :
             {std::string(written), percent_decoded(written), without_backslashes(written)}) {
            if (std::ranges::find(passwords, form) == passwords.end()) {
                passwords.push_back(std::move(form));
            }
        }
    }
    return passwords;
}

}  // namespace jobforge
