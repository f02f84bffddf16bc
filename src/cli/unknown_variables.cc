#include "cli/unknown_variables.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <string_view>

#include <fmt/format.h>

#include "cli/config.h"
#include "rules/syntax/nearest.h"

namespace jobforge::cli {

namespace {

constexpr std::array<std::string_view, 2> kPrefixes{"BPC_", "JOBFORGE_"};
// JOBFORGE_SECRET_<NAME> is anybody's choice; the others belong to the build, tests and benchmarks.
constexpr std::array<std::string_view, 6> kOthers{"JOBFORGE_SECRET_", "JOBFORGE_TEST_",
                                                  "JOBFORGE_BENCH_",  "JOBFORGE_BUILD_",
                                                  "JOBFORGE_PG_",     "JOBFORGE_PROGRAM"};

template <std::size_t Count>
bool begins_with_one_of(std::string_view name,
                        const std::array<std::string_view, Count>& prefixes) {
    return std::ranges::any_of(
        prefixes, [name](std::string_view prefix) { return name.starts_with(prefix); });
}

// Without its prefix: BPC_DATA is near JOBFORGE_DATA, and a long prefix makes nothing alike.
std::string_view stem(std::string_view name) {
    for (const std::string_view prefix : kPrefixes) {
        if (name.starts_with(prefix)) {
            return name.substr(prefix.size());
        }
    }
    return name;
}

std::string_view nearest_variable(std::string_view name) {
    std::vector<std::string_view> stems;
    for (const Variable& variable : variables()) {
        stems.push_back(stem(variable.name));
    }
    const auto nearest = rules::nearest_names(stem(name), stems, 1);
    if (nearest.empty()) {
        return {};
    }
    const auto found = std::ranges::find(stems, nearest.front());
    return variables()[static_cast<std::size_t>(found - stems.begin())].name;
}

}  // namespace

std::vector<std::string> unknown_variables(std::span<const std::string> names) {
    std::vector<std::string> sentences;
    for (const std::string& name : names) {
        const bool known = std::ranges::any_of(
            variables(), [&name](const Variable& variable) { return variable.name == name; });
        if (known || !begins_with_one_of(name, kPrefixes) || begins_with_one_of(name, kOthers)) {
            continue;
        }
        const std::string_view nearest = nearest_variable(name);
        sentences.push_back(nearest.empty()
                                ? fmt::format("{} is not a variable of this program", name)
                                : fmt::format("{} is not a variable of this program: did you mean "
                                              "{}?",
                                              name, nearest));
    }
    return sentences;
}

std::vector<std::string> process_variable_names() {
    std::vector<std::string> names;
    for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
        const std::string_view text(*entry);
        names.emplace_back(text.substr(0, text.find('=')));
    }
    std::ranges::sort(names);
    return names;
}

}  // namespace jobforge::cli
