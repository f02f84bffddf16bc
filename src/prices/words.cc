#include "prices/words.h"

#include <algorithm>

#include "base/text/utf8.h"
#include "values/unicode.h"

namespace jobforge::services {

Words words_of(std::string_view text) {
    constexpr char32_t kCentSign = 0xA2;
    Words words;
    bool inside = false;
    while (!text.empty()) {
        char32_t code_point = unicode::take(text);
        code_point = code_point == kCentSign ? U'c' : unicode::lower(code_point);
        if (!unicode::is_word(code_point)) {
            inside = false;
            continue;
        }
        if (!inside) {
            words.emplace_back();
            inside = true;
        }
        utf8_append(words.back(), code_point);
    }
    return words;
}

bool contains_phrase(std::span<const std::string> words,
                     std::span<const std::string> phrase) noexcept {
    return !phrase.empty() &&
           std::search(words.begin(), words.end(), phrase.begin(), phrase.end()) != words.end();
}

bool contains_phrase(std::span<const std::string> words, std::string_view phrase) {
    return contains_phrase(words, words_of(phrase));
}

}  // namespace jobforge::services
