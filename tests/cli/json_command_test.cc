// jobforge json as people and scripts meet it: bytes in, bytes or one error out.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "child_process.h"
#include "temp_dir.h"
#include "test_paths.h"

namespace jobforge::cli {
namespace {

using namespace std::string_literals;
using test::Finished;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

class JsonCommand : public ::testing::Test {
protected:
    std::string file_with(const std::string& bytes) {
        const std::string path = home_.path() + "/document.json";
        std::ofstream(path, std::ios::binary) << bytes;
        return path;
    }
    Finished run(std::vector<std::string> arguments) {
        arguments.insert(arguments.begin(), {JOBFORGE_PROGRAM, "json"});
        return test::run(std::move(arguments));
    }
    // With the document as a file; then again through standard input, which must answer alike.
    Finished run_on(const std::string& verb, const std::string& bytes) {
        const std::string path = file_with(bytes);
        Finished from_file = run({verb, path});
        const Finished piped = test::run(
            {"/bin/sh", "-c", "exec \"$0\" json \"$1\" < \"$2\"", JOBFORGE_PROGRAM, verb, path});
        EXPECT_EQ(piped.exit_code, from_file.exit_code);
        EXPECT_EQ(piped.output, from_file.output);
        return from_file;
    }
    void expect_refused(const Finished& done, const std::string& message) {
        EXPECT_EQ(done.exit_code, 1);
        EXPECT_THAT(done.output, IsEmpty());
        EXPECT_THAT(done.error_output, StartsWith("jobforge: "));
        EXPECT_THAT(done.error_output, HasSubstr(message));
        EXPECT_LT(done.error_output.size(), 500U);
    }

    test::TempDir home_;
};

TEST_F(JsonCommand, canon_writes_the_canonical_bytes_and_nothing_else) {
    const Finished done = run_on("canon", "{ \"b\": 2,\n \"a\": [1, -0, \"\\u20ac\\u0001\"] }\n");
    EXPECT_EQ(done.exit_code, 0) << done.error_output;
    EXPECT_EQ(done.output, "{\"a\":[1,0,\"\u20ac\\u0001\"],\"b\":2}");
    EXPECT_THAT(done.error_output, IsEmpty());
}

TEST_F(JsonCommand, hash_prints_the_vector_of_the_format_page) {
    const Finished done = run_on("hash", R"({"b":2,"a":1})");
    EXPECT_EQ(done.exit_code, 0) << done.error_output;
    EXPECT_EQ(done.output, "43258cff783fe7036d8a43033f830adfc60ec037382473548ac742b888292777\n");
    const Finished json = run({"hash", "--json", file_with(R"({"a":1,"b":2})")});
    EXPECT_EQ(json.output,
              "{\"sha256\":\""
              "43258cff783fe7036d8a43033f830adfc60ec037382473548ac742b888292777\"}\n");
}

TEST_F(JsonCommand, a_number_without_canonical_form_is_refused_with_its_place) {
    for (const char* verb : {"canon", "hash"}) {
        expect_refused(run_on(verb, R"({"a":[0,1.5]})"), "CANONICAL_NUMBER_NOT_ALLOWED: ");
        expect_refused(run_on(verb, R"({"a":[0,1.5]})"), "/a/1: 1.5 is not an integer");
        expect_refused(run_on(verb, "[1e308]"), "/0: 1e308");
        expect_refused(run_on(verb, std::string(309, '9')), "CANONICAL_NUMBER_NOT_ALLOWED");
    }
}

TEST_F(JsonCommand, check_takes_every_rfc_8259_text_silently) {
    for (const std::string& text :
         {"1.50"s, "[1e400]"s, R"({"a":1,"a":2})"s, R"("\u0000")"s, R"("\ud800")"s, " null\n"s,
          std::string(100'000, '[') + std::string(100'000, ']')}) {
        const Finished done = run_on("check", text);
        EXPECT_EQ(done.exit_code, 0) << done.error_output;
        EXPECT_THAT(done.output + done.error_output, IsEmpty());
    }
}

TEST_F(JsonCommand, check_strict_refuses_what_our_documents_may_not_hold) {
    EXPECT_EQ(run({"check", "--strict", file_with("{\"a\":1.50}")}).exit_code, 0);
    expect_refused(run({"check", "--strict", file_with(R"({"a":1,"a":2})")}),
                   "line 1, column 8: this key is already in the object: \"a\"");
    expect_refused(run({"check", "--strict", file_with(R"("\u0000")")}), "U+0000 is refused");
    expect_refused(run({"check", "--strict", file_with(R"("\ud800")")}), "other half");
    expect_refused(
        run({"check", "--strict", file_with(std::string(129, '[') + std::string(129, ']'))}),
        "nested deeper than 128 levels");
}

TEST_F(JsonCommand, everything_else_is_one_error_with_the_place) {
    for (const char* verb : {"canon", "check", "hash"}) {
        expect_refused(run_on(verb, ""), "line 1, column 1: the text ends");
        expect_refused(run_on(verb, "[1,\n 2,]"), "line 2, column 4: ");
        expect_refused(run_on(verb, "\xEF\xBB\xBF{}"), "byte order mark");
        expect_refused(run_on(verb, "\xFF\xFE{\0}\0"s), "this is UTF-16");
        expect_refused(run_on(verb, "{\0}\0"s), "looks like UTF-16");
        expect_refused(run_on(verb, "[1]\0"s), "line 1, column 4: ");
        expect_refused(run_on(verb, "\"\xC3"), "not valid UTF-8");
        expect_refused(run_on(verb, "\"\xC0\xAF\""), "not valid UTF-8");
        expect_refused(run_on(verb, std::string(100'000, '[')), "line 1, column ");
    }
}

TEST_F(JsonCommand, fifty_megabytes_pass_and_a_text_above_the_limit_is_refused) {
    std::string text = "[";
    while (text.size() < 50'000'000) {
        text += R"({"name":"some name or other","id":123456,"tags":["a","b"],"x":null},)";
    }
    text.back() = ']';
    const std::string path = file_with(text);
    EXPECT_EQ(run({"check", path}).exit_code, 0);
    const Finished hashed = run({"hash", path});
    EXPECT_EQ(hashed.exit_code, 0) << hashed.error_output;
    EXPECT_EQ(hashed.output.size(), 65U);
    expect_refused(run({"hash", file_with(text + std::string(20'000'000, ' '))}),
                   "PAYLOAD_LIMIT: ");
    expect_refused(run({"canon", "/dev/zero"}), "longer than 64 MiB");
}

TEST_F(JsonCommand, a_file_that_cannot_be_read_is_named) {
    expect_refused(run({"check", home_.path() + "/none.json"}), "/none.json cannot be read");
    expect_refused(run({"canon", home_.path()}), "cannot be read");
}

TEST_F(JsonCommand, output_that_cannot_be_written_is_a_failure) {
    const std::string path = file_with("[1]");
    const Finished done = test::run(
        {"/bin/sh", "-c", "exec \"$0\" json canon \"$1\" > /dev/full", JOBFORGE_PROGRAM, path});
    expect_refused(done, "standard output cannot be written");
}

}  // namespace
}  // namespace jobforge::cli
