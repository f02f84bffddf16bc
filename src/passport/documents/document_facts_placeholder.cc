#include "passport/documents/document_facts_placeholder.h"

#include <algorithm>
#include <array>

#include "values/decimal.h"
#include "values/document_numbers.h"

namespace jobforge::passport {
namespace {

// Short enough to look like words to is_random_letters, or no letters at all.
constexpr std::array<std::string_view, 11> kGenerated{
    "JxkyvRnL",
    "telnet://192.0.2.16:80/",
    "ftp://ftp.is.co.za/rfc/rfc1808.txt",
    "http://www.ietf.org/rfc/rfc2396.txt",
    "http://www.wikipedia.org",
    "ldap://[2001:db8::7]/c=GB?objectClass?one",
    "mailto:John.Doe@example.com",
    "news:comp.infosystems.www.servers.unix",
    "tel:+1-816-555-1212",
    "urn:oasis:names:specification:docbook:dtd:xml:4.1.2",
    "string",
};

constexpr std::size_t kLeastRandomLetters = 16;
constexpr std::size_t kLongestConsonants = 4;  // in names of firms and products

bool is_upper(char c) noexcept {
    return c >= 'A' && c <= 'Z';
}

bool is_letter(char c) noexcept {
    return is_upper(c) || (c >= 'a' && c <= 'z');
}

bool is_vowel(char c) noexcept {
    return std::string_view("aeiouyAEIOUY").find(c) != std::string_view::npos;
}

// Many letters, capitals and small ones at random, and more consonants in a row than anybody says.
bool is_random_letters(std::string_view text) noexcept {
    if (text.size() < kLeastRandomLetters || !std::ranges::all_of(text, is_letter)) {
        return false;
    }
    std::size_t switches = 0;
    std::size_t consonants = 0;
    std::size_t longest = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        switches += i > 0 && is_upper(text[i]) != is_upper(text[i - 1]) ? 1U : 0U;
        consonants = is_vowel(text[i]) ? 0 : consonants + 1;
        longest = std::max(longest, consonants);
    }
    return switches * 4 >= text.size() && longest > kLongestConsonants;
}

// One letter and nothing else, as "aaaa".
bool is_one_letter_repeated(std::string_view text) noexcept {
    return text.size() >= 4 && is_letter(text.front()) &&
           text.find_first_not_of(text.front()) == std::string_view::npos;
}

// The number to 18 digits behind the point, the rest cut off: near enough for a range of whole
// numbers. nullopt if it has more than 38 digits.
std::optional<Decimal> nearly(const Json& number) {
    const auto exact = with_exact_numbers(number);
    if (!exact.ok()) {
        return std::nullopt;
    }
    const std::string* text = exact->as_string();
    std::string written(text != nullptr ? std::string_view(*text) : *exact->number_text());
    if (const std::size_t point = written.find('.'); point != std::string::npos) {
        written.resize(std::min(written.size(), point + 1 + Decimal::kMaxScale));
    }
    const auto value = Decimal::parse(written);
    return value.ok() ? std::optional(*value) : std::nullopt;
}

}  // namespace

bool is_within(const Json& number, const NumberRange& range) {
    const auto value = nearly(number);
    return value && *value >= Decimal::parse(range.least).value() &&
           *value <= Decimal::parse(range.most).value();
}

bool is_generated_text(std::string_view text) noexcept {
    return std::ranges::find(kGenerated, text) != kGenerated.end() || is_random_letters(text) ||
           is_one_letter_repeated(text);
}

}  // namespace jobforge::passport
