// Any bytes into the rule language. What must hold: no crash, no bad memory, no endless work; every
// diagnostic can be rendered; a source that parses is formatted to one that parses to the same
// tree, and formatting that changes nothing. A violation aborts.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "rules/check/package.h"
#include "rules/format/format.h"
#include "rules/syntax/parser.h"

namespace {

namespace rules = jobforge::rules;

void require(bool holds, const char* what, const std::string& text) {
    if (!holds) {
        std::fprintf(stderr, "violated: %s\n%s\n", what, text.c_str());
        std::abort();
    }
}

void check_format(const std::string& text) {
    rules::Diagnostics diagnostics;
    const rules::SourceText source("rules", text);
    const auto parsed = rules::parse(source, 0, diagnostics);
    const auto once = rules::format(source, diagnostics);
    require(once.has_value() == (parsed && diagnostics.empty()), "what parses is formatted", text);
    if (!once) {
        return;
    }
    const rules::SourceText formatted("formatted", *once);
    const auto again = rules::parse(formatted, 0, diagnostics);
    require(again && diagnostics.empty(), "what was formatted parses", *once);
    require(same_syntax(parsed->module, again->module), "formatting keeps the meaning", *once);
    const auto twice = rules::format(formatted, diagnostics);
    require(twice == once, "formatting again changes nothing", *once);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string text(reinterpret_cast<const char*>(data), size);
    const auto outcome = rules::check_package(rules::SourceText("rules", text));
    require(outcome.ok() == outcome.diagnostics.empty(), "a package, or a reason", text);
    (void)render(outcome.diagnostics, outcome.sources);
    for (const rules::Diagnostic& diagnostic : outcome.diagnostics.all()) {
        (void)to_json(diagnostic, outcome.sources);
    }
    check_format(text);
    return 0;
}
