// Random well-typed rule packages with facts, as source text: what the two evaluators, the
// formatter and the proof checker are compared on. Every operator and built-in of the language
// occurs, and so do edge values, absent facts and facts of the wrong shape.
#pragma once

#include <string>
#include <vector>

#include "rules/check/rule_type.h"
#include "rules/eval/facts.h"
#include "rules/test/generator.h"

namespace jobforge::rules {

struct GeneratedField {
    std::string head;  // "field x.f0: Int access(public) = "
    std::string body;
    std::string another;  // some other expression of the type, that reads no field
    bool is_public = false;
};

struct GeneratedProgram {
    std::string source;  // declarations, then the fields
    std::string declarations;
    std::vector<GeneratedField> fields;
    std::vector<Fact> facts;
};

class ProgramGenerator final {
public:
    explicit ProgramGenerator(std::uint64_t seed) : random_(seed) {}

    [[nodiscard]] GeneratedProgram make();

private:
    struct Name {
        std::string text;  // an expression: a variable, or field("path")
        Type type;
    };
    using Scope = std::vector<Name>;

    [[nodiscard]] bool chance(std::uint64_t one_in) { return random_.below(one_in) == 0; }
    template <typename T, std::size_t N>
    const T& pick(const T (&choices)[N]) {
        return choices[random_.below(N)];
    }

    // program_generator.cc: declarations, facts and types
    [[nodiscard]] Type scalar_type();
    [[nodiscard]] Type member_type();
    [[nodiscard]] Type any_type();
    [[nodiscard]] std::string declare_fact(const std::string& name);
    void make_facts(const std::string& name, const Type& type, GeneratedProgram& program);

    // program_expressions.cc: one function a type; each returns text that needs no parentheses
    [[nodiscard]] std::string expression(const Type& type, const Scope& scope, int depth);
    [[nodiscard]] std::string structure(const Type& type, const Scope& scope, int depth);
    [[nodiscard]] std::string literal(const Type& type);
    [[nodiscard]] std::string boolean(const Scope& scope, int depth);
    [[nodiscard]] std::string comparison(const Scope& scope, int depth);
    [[nodiscard]] std::string integer(const Scope& scope, int depth);
    [[nodiscard]] std::string decimal(int scale, const Scope& scope, int depth);
    [[nodiscard]] std::string quantity(const Type& type, const Scope& scope, int depth);
    [[nodiscard]] std::string text(const Scope& scope, int depth);
    [[nodiscard]] std::string date(const Scope& scope, int depth);
    [[nodiscard]] std::string optional(const Type& type, const Scope& scope, int depth);
    [[nodiscard]] std::string list(const Type& type, const Scope& scope, int depth);
    [[nodiscard]] std::string record(const Type& type, const Scope& scope, int depth);
    [[nodiscard]] std::string named(const Type& type, const Scope& scope);
    [[nodiscard]] std::string fresh() { return "v" + std::to_string(++names_); }

    SplitMix64 random_;
    std::size_t names_ = 0;
    std::vector<Name> fact_types_;  // name and record type
};

}  // namespace jobforge::rules
