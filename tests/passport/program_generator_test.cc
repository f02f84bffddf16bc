#include "program_generator.h"

#include <gtest/gtest.h>

#include "rules/check/builtin.h"

namespace jobforge::rules {
namespace {

// How often `name(` occurs as a word of its own: some(, but not in requireSome(.
std::size_t calls_of(std::string_view name, std::string_view sources) {
    const std::string call = std::string(name) + "(";
    std::size_t calls = 0;
    for (std::size_t at = sources.find(call); at != std::string_view::npos;
         at = sources.find(call, at + 1)) {
        const char before = at == 0 ? ' ' : sources[at - 1];
        const bool inside_a_word =
            (before >= 'a' && before <= 'z') || (before >= 'A' && before <= 'Z') || before == '_';
        calls += inside_a_word ? 0U : 1U;
    }
    return calls;
}

TEST(ProgramGenerator, uses_every_built_in_operator_and_kind_of_statement) {
    std::string sources;
    for (std::uint64_t seed = 0; seed < 1500; ++seed) {
        sources += ProgramGenerator(seed).make().source;
    }
    for (const std::string_view name : all_builtin_names()) {
        EXPECT_GE(calls_of(name, sources), 20U) << name;
    }
    for (const char* word :
         {" + ",       " - ",        " * ",   " / ",        " == ",        " != ",
          " < ",       " <= ",       " > ",   " >= ",       " && ",        " || ",
          "(!",        "(-(",        "(let ", "(assert(",   "(if ",        " else none",
          " else []",  "date(",      "qty(",  "field(\"",   "product.sku", "product.name",
          "issued_on", "Map(Text, ", "Opt(",  "\"half_up\""}) {
        EXPECT_NE(sources.find(word), std::string::npos) << word;
    }
}

TEST(ProgramGenerator, one_seed_gives_one_program) {
    EXPECT_EQ(ProgramGenerator(42).make().source, ProgramGenerator(42).make().source);
    EXPECT_NE(ProgramGenerator(42).make().source, ProgramGenerator(43).make().source);
}

}  // namespace
}  // namespace jobforge::rules
