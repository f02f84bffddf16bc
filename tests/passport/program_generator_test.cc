#include "program_generator.h"

#include <gtest/gtest.h>

#include "passport/rules/builtin.h"

namespace jobforge::passport::rules {
namespace {

TEST(ProgramGenerator, uses_every_built_in_operator_and_kind_of_statement) {
    std::string sources;
    for (std::uint64_t seed = 0; seed < 1500; ++seed) {
        sources += ProgramGenerator(seed).make().source;
    }
    for (const std::string_view name : all_builtin_names()) {
        EXPECT_NE(sources.find(std::string(name) + "("), std::string::npos) << name;
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
}  // namespace jobforge::passport::rules
