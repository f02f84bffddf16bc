// From source to a package that can be evaluated: the front door of the rule language.
//
// check_package reads, parses and checks everything and reports all errors at once. A
// CheckedPackage is immutable and may be shared by threads; evaluation of it ends only in the ways
// that docs/rules.md promises.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rules/syntax/ast.h"
#include "rules/syntax/diagnostic.h"
#include "rules/syntax/source.h"

namespace jobforge::rules {

struct CheckedPackage {
    std::vector<SourceText> sources;       // Span::source is an index into these
    std::vector<FactDeclaration> facts;    // in order of declaration
    std::vector<FieldDeclaration> fields;  // in evaluation order: dependencies first, then by
                                           // the bytes of the path (Kahn)
    std::vector<Example> examples;         // in order of declaration
    std::vector<Property> properties;      // in order of declaration
    std::map<std::string, std::size_t, std::less<>> fact_index;   // by name
    std::map<std::string, std::size_t, std::less<>> field_index;  // by path

    [[nodiscard]] Position position(const Span& span) const;  // for messages
};

struct CheckOutcome {
    std::shared_ptr<const CheckedPackage> package;  // null if there are diagnostics
    Diagnostics diagnostics;                        // sorted
    std::vector<SourceText> sources;                // to render them with

    [[nodiscard]] bool ok() const noexcept { return package != nullptr; }
};

// Whether a value may flow only to those who may see all it was computed from (check_access.cc).
enum class AccessFlows : std::uint8_t {
    checked,  // for authors: before a package is stored, tested by its author or published
    // For what was published already. A check that came later must not make a passport that was
    // issued before unverifiable: the same inputs give the same bytes, or nothing would for ever.
    ignored,
};

// Which statuses of compliance entries rules may write.
enum class StatusWords : std::uint8_t {
    closed,  // those of core/compliance_status.h
    // Any: rules that were published before the set was closed have passports, which must compile
    // to the same bytes for ever. What they emit in a new passport is checked when it is evaluated.
    any,
};

struct CheckOptions {
    AccessFlows flows = AccessFlows::checked;
    StatusWords statuses = StatusWords::closed;
};
// For what was published already.
inline constexpr CheckOptions kPublished{AccessFlows::ignored, StatusWords::any};

// Checks `rules`, which may hold tests too, and `tests`, which may hold only examples and
// properties. Takes time linear in the text (times the logarithm of the number of fields).
[[nodiscard]] CheckOutcome check_package(SourceText rules, std::optional<SourceText> tests = {},
                                         CheckOptions options = {});

}  // namespace jobforge::rules
