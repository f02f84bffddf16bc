// What all parts of the checker share: the names a package declares, and how errors are told.
//
// Used by check_*.cc only; package.h is the front door.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "rules/check/package.h"
#include "rules/syntax/ast.h"
#include "rules/syntax/diagnostic.h"

namespace jobforge::rules {

class CheckContext final {
public:
    CheckContext(CheckedPackage& package, Diagnostics& diagnostics) noexcept
        : package_(package), diagnostics_(diagnostics) {}

    // While bodies are checked, fields stand in order of declaration; references are renumbered
    // when the order of evaluation is known.
    [[nodiscard]] CheckedPackage& package() noexcept { return package_; }
    void note_reference(FieldReference& reference) { references_.push_back(&reference); }
    [[nodiscard]] std::span<FieldReference* const> references() const noexcept {
        return references_;
    }

    // Some declarations could not be read, so an unknown fact or field may be one of them: then it
    // is not reported. Everything else is.
    void set_incomplete(bool incomplete) noexcept { incomplete_ = incomplete; }
    [[nodiscard]] bool incomplete() const noexcept { return incomplete_; }
    void unknown_error(const Span& span, std::string message, std::string advice);

    void type_error(const Span& span, std::string message, std::string advice = {});
    void unit_error(const Span& span, std::string message, std::string advice = {});
    void cycle_error(const Span& span, std::string message, std::string advice);

    // What of the checks is left out, see package.h.
    void set_options(const CheckOptions& options) noexcept { options_ = options; }
    // Whether what flows from field to field is checked against access(...).
    [[nodiscard]] bool checks_access() const noexcept {
        return options_.flows == AccessFlows::checked;
    }
    // A status that is written in the source, unless any will do.
    void check_status(const Span& span, const std::string& status);
    [[nodiscard]] std::size_t errors() const noexcept { return diagnostics_.count(); }

    // More errors than anybody sees: what costs time is left out from now on.
    [[nodiscard]] bool crowded() const noexcept {
        return diagnostics_.count() >= Diagnostics::kMaximumKept;
    }

    // The type in its notation, but a fact's record by the fact's name: shorter, and the author's
    // word.
    [[nodiscard]] std::string describe(const Type& type) const;
    // The source of an expression if it is short, else "...": to write advice with.
    [[nodiscard]] std::string shown(const Expression& expression) const;
    // "line 12", of a span in the same package.
    [[nodiscard]] std::string line_of(const Span& span) const;
    // "did you mean x?" for the name nearest to `wrong`; empty if none is near. Quiet once there
    // are more errors than anybody sees, so that noise stays cheap.
    [[nodiscard]] std::string suggestion(std::string_view wrong,
                                         std::span<const std::string_view> names) const;

private:
    CheckedPackage& package_;
    Diagnostics& diagnostics_;
    std::vector<FieldReference*> references_;
    bool incomplete_ = false;
    CheckOptions options_;
};

// --- check_types.cc
// The type that syntax stands for; the error type if it was reported. Facts must be resolved.
[[nodiscard]] Type resolve_type(CheckContext& context, const TypeSyntax& syntax);
// Gives every fact of the package its record type: order does not matter, cycles are errors.
void resolve_facts(CheckContext& context);
// An existing fact's index, or a report.
[[nodiscard]] std::optional<std::size_t> resolve_fact_name(CheckContext& context,
                                                           const std::string& name,
                                                           const Span& span);

// --- check_order.cc
// Kahn's order: what depends on nothing first, among equals the smallest name by bytes.
// `unordered` are the nodes on cycles or behind them.
struct DependencyOrder {
    std::vector<std::size_t> order;
    std::vector<std::size_t> unordered;
};
[[nodiscard]] DependencyOrder order_by_dependency(
    const std::vector<std::string_view>& names,
    const std::vector<std::vector<std::size_t>>& dependencies);
// One cycle for each knot of nodes that depend on each other, beginning with its smallest name.
[[nodiscard]] std::vector<std::vector<std::size_t>> find_cycles(
    const std::vector<std::string_view>& names,
    const std::vector<std::vector<std::size_t>>& dependencies,
    const std::vector<std::size_t>& unordered);

// --- check_fields.cc
// Declared types, duplicates, prefixes, bodies, then the order of evaluation.
void check_fields(CheckContext& context);

// --- check_access.cc
// Reports each reference by which a field, or a compliance entry of it, would show a reader what
// the field referred to hides from them. Preconditions: all declarations and this body are checked,
// without fault; fields stand in order of declaration.
void check_access(CheckContext& context, const FieldDeclaration& field);

// --- check_tests.cc
void check_tests(CheckContext& context);

}  // namespace jobforge::rules
