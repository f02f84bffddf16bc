// What a generator wrote where a battery's data should stand.
//
// Sample payloads of data models are made by programs: -1.2345E27 volts, a passport class
// "eOMtThyhVNLWUZNRcBaQKxI", a study at telnet://192.0.2.16:80/. Such a document is whole and well
// formed, and a passport made of it would be signed nonsense. Internal to document_facts. Pure.
#pragma once

#include <string>
#include <string_view>

#include <jobforge/json.h>

namespace jobforge::passport {

// Both ends belong to it.
struct NumberRange {
    std::string_view least;
    std::string_view most;
};

// Whether the number is within the range; false too for one of more than 38 digits. Precondition:
// is_number().
[[nodiscard]] bool is_within(const Json& number, const NumberRange& range);

// A text that generators of sample data write: those of the model's own generator, the examples of
// RFC 3986, and letters in no order that a language has.
[[nodiscard]] bool is_generated_text(std::string_view text) noexcept;

}  // namespace jobforge::passport
