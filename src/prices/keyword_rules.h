// Which listings a tenant wants to see at all: rules over the words of their titles. Pure.
#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <jobforge/error.h>
#include <jobforge/json.h>

namespace jobforge::services {

// Keywords are whole words, or several of them side by side ("proof set"), in any case: "cent"
// does not match "recent" or "cents". One without any letter or number is ignored.
struct KeywordRules {
    std::vector<std::string> exclude;      // none of these: source_rules and the intake together
    std::vector<std::string> require_all;  // each of these: source_rules.require_keywords
    std::vector<std::string> include_any;  // at least one of these: intakes.keywords_include
};

// Why a title is left out: "excluded keyword: replica"; nullopt: it stays.
[[nodiscard]] std::optional<std::string> why_left_out(const KeywordRules& rules,
                                                      std::string_view title);

// Lists of keywords as people give them. VALIDATION_ERROR for one without any letter or number.
[[nodiscard]] Status check_keywords(const Json& object, std::initializer_list<const char*> members);

}  // namespace jobforge::services
