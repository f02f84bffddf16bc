#include "workloads/prices/keyword_rules.h"

#include <algorithm>

#include "workloads/prices/words.h"

namespace jobforge::workloads {

std::optional<std::string> why_left_out(const KeywordRules& rules, std::string_view title) {
    const Words words = words_of(title);
    for (const std::string& keyword : rules.exclude) {
        if (contains_phrase(words, keyword)) {
            return "excluded keyword: " + keyword;
        }
    }
    for (const std::string& keyword : rules.require_all) {
        const Words wanted = words_of(keyword);
        if (!wanted.empty() && !contains_phrase(words, wanted)) {
            return "required keyword missing: " + keyword;
        }
    }
    bool asked = false;
    for (const std::string& keyword : rules.include_any) {
        const Words wanted = words_of(keyword);
        if (contains_phrase(words, wanted)) {
            return std::nullopt;
        }
        asked = asked || !wanted.empty();
    }
    return asked ? std::optional<std::string>("none of the intake's keywords") : std::nullopt;
}

}  // namespace jobforge::workloads
