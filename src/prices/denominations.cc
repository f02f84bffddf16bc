#include "prices/denominations.h"

#include <algorithm>
#include <array>
#include <vector>

#include "prices/words.h"

namespace jobforge::services {

namespace {

// One line a group; names separated by commas, words in lower case.
constexpr std::array kGroups{
    "half cent, half cents, half penny, one half cent",
    "cent, cents, penny, pennies, 1 cent, one cent, 1 penny, one penny, 1c",
    "2 cent, 2 cents, two cent, two cents, 2c",
    "3 cent, 3 cents, three cent, three cents, 3c, trime",
    "nickel, nickels, 5 cent, 5 cents, five cent, five cents, 5c",
    "half dime, half dimes, half disme",
    "dime, dimes, disme, 10 cent, 10 cents, ten cent, ten cents, 10c, one dime",
    "20 cent, 20 cents, twenty cent, twenty cents, 20c",
    "quarter, quarters, quarter dollar, quarter dollars, 25 cent, 25 cents, twenty five cents, 25c",
    "half dollar, half dollars, half, halves, 50 cent, 50 cents, fifty cents, 50c",
    "dollar, dollars, 1 dollar, one dollar, 100 cents",
    "quarter eagle, 2 50 dollars, 2 5 dollars, two and a half dollars",
    "3 dollar, 3 dollars, three dollar, three dollars",
    "half eagle, 5 dollar, 5 dollars, five dollar, five dollars",
    "eagle, 10 dollar, 10 dollars, ten dollar, ten dollars",
    "double eagle, 20 dollar, 20 dollars, twenty dollar, twenty dollars",
};

struct Name {
    Words words;
    int group;
};

// All names, longest first.
std::vector<Name> make_names() {
    std::vector<Name> names;
    for (std::size_t group = 0; group < kGroups.size(); ++group) {
        std::string_view rest = kGroups.at(group);
        while (!rest.empty()) {
            const std::size_t comma = std::min(rest.find(','), rest.size());
            names.push_back({words_of(rest.substr(0, comma)), static_cast<int>(group)});
            rest.remove_prefix(std::min(comma + 1, rest.size()));
        }
    }
    std::stable_sort(names.begin(), names.end(),
                     [](const Name& a, const Name& b) { return a.words.size() > b.words.size(); });
    return names;
}

const std::vector<Name>& names() {
    static const std::vector<Name> kAll = make_names();
    return kAll;
}

// The longest name that begins here; nullptr if there is none.
const Name* name_at(std::span<const std::string> words) {
    for (const Name& name : names()) {
        if (name.words.size() <= words.size() &&
            std::equal(name.words.begin(), name.words.end(), words.begin())) {
            return &name;
        }
    }
    return nullptr;
}

}  // namespace

std::optional<int> denomination_of(std::string_view text) {
    const Words words = words_of(text);
    const Name* const name = name_at(words);
    return name != nullptr && name->words.size() == words.size() ? std::optional(name->group)
                                                                 : std::nullopt;
}

bool names_denomination(std::span<const std::string> words, std::string_view denomination) {
    const auto group = denomination_of(denomination);
    if (!group) {
        return contains_phrase(words, denomination);
    }
    while (!words.empty()) {
        const Name* const name = name_at(words);
        if (name != nullptr && name->group == *group) {
            return true;
        }
        words = words.subspan(name == nullptr ? 1 : name->words.size());
    }
    return false;
}

}  // namespace jobforge::services
