// Short ways to check sources in tests.
#pragma once

#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

#include "rules/check/package.h"
#include "rules/format/format.h"
#include "rules/syntax/parser.h"
#include "test_paths.h"

namespace jobforge::rules {

// Every diagnostic as people read it; empty if the source is good.
inline std::string errors_of(std::string rules, std::optional<std::string> tests = {}) {
    std::optional<SourceText> tests_source;
    if (tests) {
        tests_source.emplace("tests", *std::move(tests));
    }
    const CheckOutcome outcome =
        check_package(SourceText("rules", std::move(rules)), std::move(tests_source));
    return render(outcome.diagnostics, outcome.sources);
}

inline std::string formatted(const std::string& text) {
    Diagnostics diagnostics;
    const std::vector<SourceText> sources{SourceText("rules", text)};
    const auto result = format(sources[0], diagnostics);
    return result ? *result : render(diagnostics, sources);
}

// Whether two sources parse without an error and say the same.
inline bool same_meaning(const std::string& a, const std::string& b) {
    Diagnostics diagnostics;
    const auto left = parse(SourceText("a", a), 0, diagnostics);
    const auto right = parse(SourceText("b", b), 0, diagnostics);
    return left && right && diagnostics.empty() && same_syntax(left->module, right->module);
}

inline std::string read_project_file(const std::string& path) {
    std::ifstream file(std::string(JOBFORGE_SOURCE_DIR "/") + path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

// The package of the language's definition, byte for byte.
inline std::string sample() {
    return read_project_file("tests/fuzz/corpus/rules_fuzz/sample.rules");
}

}  // namespace jobforge::rules
