// The façade over the parser of command lines: what commands may rely on, whatever is behind it.
#include "cli/command_line.h"

#include <cstdlib>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/usage.h"

namespace jobforge::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// A program with one command of every kind of option, and what it was given.
class CommandLineTest : public ::testing::Test {
protected:
    CommandLineTest() {
        Command root = line.root();
        root.flag("--loud", loud, "For every command");
        root.option("--name", name, "For every command");
        Command things = root.group("things", "What there is");
        Command list = things.subcommand("list", "All of them");
        list.option("--only", only, "Those of this kind");
        list.option("--limit", limit, "At most this many").in_range(1, 1000).shows_default();
        list.option("--depth", depth, "How deep");
        list.option("--after", after, "Behind this one");
        list.option("--seed", seed, "For the order").env("COMMAND_LINE_TEST_SEED");
        list.runs([] { return 17; });
        Command paint = things.subcommand("paint", "In colours");
        paint.option("--colour", colours, "One colour; repeatable").one_at_a_time();
        paint.option("FILE", files, "What to paint").required().expected(1, 2);
        paint.runs([] { return 23; });
    }

    Result<Request> parse(std::vector<const char*> words) {
        words.insert(words.begin(), "forge");
        return line.parse(static_cast<int>(words.size()), words.data());
    }

    void expect_refused(const std::vector<const char*>& words, const char* reason) {
        const auto request = parse(words);
        ASSERT_FALSE(request.ok());
        EXPECT_EQ(request.error().code, ErrorCode::VALIDATION_ERROR);
        EXPECT_THAT(request.error().message, HasSubstr(reason));
    }

    CommandLine line{"forge", "Makes things", "See also: hammer"};
    bool loud = false;
    std::string name = "none";
    std::optional<std::string> only;
    int limit = 50;
    std::optional<int> depth;
    std::int64_t after = 0;
    std::uint64_t seed = 0;
    std::vector<std::string> colours;
    std::vector<std::string> files;
};

TEST_F(CommandLineTest, the_action_of_the_named_command_is_what_is_asked_for) {
    const auto request = parse({"things", "paint", "wall"});
    ASSERT_TRUE(request.ok());
    EXPECT_THAT(request->text, IsEmpty());
    EXPECT_EQ(request->action(), 23);
}

TEST_F(CommandLineTest, every_kind_of_variable_gets_its_value) {
    ASSERT_TRUE(parse({"things", "list", "--only", "red", "--limit", "7", "--depth", "-3",
                       "--after", "-9223372036854775808", "--seed", "18446744073709551615"})
                    .ok());
    EXPECT_EQ(only, "red");
    EXPECT_EQ(limit, 7);
    EXPECT_EQ(depth, -3);
    EXPECT_EQ(after, std::numeric_limits<std::int64_t>::min());
    EXPECT_EQ(seed, std::numeric_limits<std::uint64_t>::max());
}

TEST_F(CommandLineTest, without_options_variables_keep_what_they_had) {
    ASSERT_TRUE(parse({"things", "list"}).ok());
    EXPECT_FALSE(loud);
    EXPECT_EQ(name, "none");
    EXPECT_EQ(only, std::nullopt);
    EXPECT_EQ(limit, 50);
    EXPECT_EQ(depth, std::nullopt);
}

TEST_F(CommandLineTest, options_of_the_program_may_stand_behind_any_command) {
    ASSERT_TRUE(parse({"things", "list", "--loud", "--name", "ann"}).ok());
    EXPECT_TRUE(loud);
    EXPECT_EQ(name, "ann");
}

TEST_F(CommandLineTest, an_option_that_takes_one_at_a_time_leaves_the_next_word_alone) {
    ASSERT_TRUE(parse({"things", "paint", "--colour", "red", "--colour", "blue", "wall"}).ok());
    EXPECT_THAT(colours, ElementsAre("red", "blue"));
    EXPECT_THAT(files, ElementsAre("wall"));
}

TEST_F(CommandLineTest, the_environment_gives_a_value_that_the_command_line_overrides) {
    ASSERT_EQ(::setenv("COMMAND_LINE_TEST_SEED", "5", 1), 0);
    EXPECT_TRUE(parse({"things", "list"}).ok());
    EXPECT_EQ(seed, 5U);
    EXPECT_TRUE(parse({"things", "list", "--seed", "6"}).ok());
    EXPECT_EQ(seed, 6U);
    ASSERT_EQ(::unsetenv("COMMAND_LINE_TEST_SEED"), 0);
}

TEST_F(CommandLineTest, a_value_that_is_no_number_or_out_of_range_is_refused) {
    expect_refused({"things", "list", "--limit", "1001"}, "--limit");
    expect_refused({"things", "list", "--limit", "0"}, "--limit");
    expect_refused({"things", "list", "--depth", "deep"}, "--depth");
    expect_refused({"things", "list", "--seed", "many"}, "--seed");
}

TEST_F(CommandLineTest, what_is_missing_or_too_much_is_refused) {
    expect_refused({"things", "paint"}, "FILE is required");
    expect_refused({"things", "paint", "a", "b", "c"}, "c");
    expect_refused({"things", "list", "--quick"}, "--quick");
    expect_refused({"things"}, "forge things needs a command: list, paint");
    expect_refused({}, "forge needs a command");
}

TEST_F(CommandLineTest, an_unknown_command_is_named_and_no_value_of_an_option_is_taken_for_it) {
    expect_refused({"thing"}, "there is no command \"thing\"; did you mean things?");
    expect_refused({"--name", "ann", "--loud", "things", "lsit"},
                   "there is no command \"lsit\"; did you mean list?");
    expect_refused({"hammer"}, "there is no command \"hammer\"");
}

TEST_F(CommandLineTest, an_unknown_option_is_named_with_the_nearest_one) {
    expect_refused({"things", "list", "--limt", "5"},
                   "there is no option --limt; did you mean --limit?");
    expect_refused({"things", "list", "--limt=5"}, "did you mean --limit?");
    expect_refused({"things", "list", "--lod"}, "there is no option --lod; did you mean --loud?");
    expect_refused({"--frobnicate"}, "there is no option --frobnicate");
}

TEST_F(CommandLineTest, a_fault_is_an_error_of_usage_and_names_the_help_of_its_command) {
    const auto deep = parse({"things", "list", "--limt", "5"});
    ASSERT_FALSE(deep.ok());
    EXPECT_TRUE(is_usage_error(deep.error()));
    EXPECT_EQ(deep.error().hint, "See: forge things list --help");
    EXPECT_EQ(parse({"things", "lsit"}).error().hint, "See: forge things --help");
    EXPECT_EQ(parse({}).error().hint, "See: forge --help");
}

TEST_F(CommandLineTest, help_is_a_text_and_no_action) {
    const auto request = parse({"things", "list", "--help"});
    ASSERT_TRUE(request.ok());
    EXPECT_FALSE(request->action);
    EXPECT_THAT(request->text, HasSubstr("All of them"));
    EXPECT_THAT(request->text, HasSubstr("INT:INT in [1 - 1000]=50"));
    EXPECT_THAT(request->text, HasSubstr("See also: hammer"));
}

TEST_F(CommandLineTest, the_version_is_a_text_and_no_action) {
    line.version("forge 1.2");
    const auto request = parse({"--version"});
    ASSERT_TRUE(request.ok());
    EXPECT_FALSE(request->action);
    EXPECT_EQ(request->text, "forge 1.2\n");
}

}  // namespace
}  // namespace jobforge::cli
