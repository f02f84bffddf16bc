#include "prices/keyword_rules.h"

#include <algorithm>

#include "prices/price_members.h"
#include "prices/words.h"

namespace jobforge::services {

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

Status check_keywords(const Json& object, std::initializer_list<const char*> members) {
    Members reader(object);
    for (const char* member : members) {
        std::vector<std::string> keywords;
        reader.texts(member, keywords);
        if (std::any_of(keywords.begin(), keywords.end(),
                        [](const std::string& keyword) { return words_of(keyword).empty(); })) {
            reader.fault(member, "keywords with a letter or number each");
        }
    }
    return reader.end();
}

}  // namespace jobforge::services
