// The passport pipeline through the program: a database, a data directory with keys, a worker.
#pragma once

#include <chrono>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <jobforge/uuid.h>

#include "cli_world.h"
#include "passport_world.h"
#include "temp_dir.h"
#include "test_paths.h"

namespace jobforge::cli {

// Rules may have hundreds of cases, and the machine other work.
inline constexpr std::chrono::seconds kPipelinePatience{120};

class PipelineWorld : public CliWorld {
protected:
    PipelineWorld() { EXPECT_FALSE(tenant().empty()); }

    [[nodiscard]] Variables environment() const {
        Variables all = more_environment_;  // its values win
        all.insert({{"DATABASE_URL", database_.url()},
                    {"JOBFORGE_DATA", home_.path()},
                    {"JOBFORGE_ALLOW_NETWORKS", "127.0.0.0/8"},
                    {"BPC_ENV", "test"}});
        return all;
    }
    test::Finished go(std::vector<std::string> arguments) {
        arguments.insert(arguments.begin(), JOBFORGE_PROGRAM);
        return test::run(std::move(arguments), environment(), kPipelinePatience);
    }
    // Standard output of a command that succeeds.
    std::string done(const std::vector<std::string>& arguments) {
        const test::Finished finished = go(arguments);
        EXPECT_EQ(finished.exit_code, 0)
            << ::testing::PrintToString(arguments) << finished.error_output;
        return trimmed(finished.output);
    }
    // The id that a command prints, and nothing else.
    std::string id(const std::vector<std::string>& arguments) {
        std::string text = done(arguments);
        EXPECT_TRUE(Uuid::parse(text).ok()) << text;
        return text;
    }
    Json answer(std::vector<std::string> arguments) {
        arguments.emplace_back("--json");
        auto value = Json::parse(done(arguments));
        EXPECT_TRUE(value.ok());
        return value.ok() ? *value : Json();
    }
    // The rows of a list.
    std::vector<Json> rows(const std::vector<std::string>& arguments) {
        const Json list = answer(arguments);
        EXPECT_TRUE(list.is_array()) << list.dump();
        return list.is_array() ? *list.as_array() : std::vector<Json>();
    }
    static std::string text(const Json& row, std::string_view member) {
        const Json* value = row.find(member);
        return value == nullptr     ? "(absent)"
               : value->is_string() ? *value->as_string()
                                    : value->dump();
    }
    // A command line whose values make no sense: exit code 2.
    void misused(const std::vector<std::string>& arguments, const std::string& words = {}) {
        refused(arguments, "VALIDATION_ERROR", words, 2);
    }
    // A command that is refused: this code first.
    void refused(const std::vector<std::string>& arguments, const std::string& code,
                 const std::string& words = {}, int exit_code = 1) {
        const test::Finished finished = go(arguments);
        EXPECT_EQ(finished.exit_code, exit_code) << ::testing::PrintToString(arguments);
        EXPECT_THAT(finished.error_output, ::testing::HasSubstr("jobforge: " + code + ": "));
        EXPECT_THAT(finished.error_output, ::testing::HasSubstr(words));
    }
    void start_worker() {
        worker_ = std::make_unique<test::ChildProcess>(
            std::vector<std::string>{JOBFORGE_PROGRAM, "worker", "--poll-ms", "20", "--slots", "4"},
            environment());
        EXPECT_TRUE(worker_->wait_for_output("worker started")) << worker_->error_output();
    }

    [[nodiscard]] std::string path(const std::string& name) const {
        return home_.path() + "/" + name;
    }
    std::string write(const std::string& name, const std::string& bytes) {
        std::ofstream(path(name), std::ios::binary) << bytes;
        return path(name);
    }
    [[nodiscard]] static std::string read(const std::string& file) {
        std::ostringstream bytes;
        bytes << std::ifstream(file, std::ios::binary).rdbuf();
        return bytes.str();
    }
    [[nodiscard]] static std::string example(const std::string& name) {
        return std::string(JOBFORGE_SOURCE_DIR) + "/examples/battery-eu/" + name;
    }

    // The small package of passport_world.h: facts in a SEALED snapshot, PUBLISHED rules, a
    // passport.
    struct Ready {
        std::string document;
        std::string snapshot;
        std::string rules;
        std::string passport;
    };
    Ready prepare(const std::string& more_rules = {}) {
        Ready ready;
        const std::string bom =
            write("bom.json", R"({"components":[{"sku":"SKU-1","capacity_kwh":"50.000"}]})");
        const std::string pcf = write("pcf.csv", "sku,total_gco2e\nSKU-1,3500000\n");
        ready.document = id({"docs", "upload", bom, "--kind", "BOM", "--wait"});
        const std::string carbon = id({"docs", "upload", pcf, "--kind", "PCF", "--wait"});
        ready.snapshot = id({"snapshots", "create", "--label", "spring"});
        EXPECT_EQ(done({"snapshots", "add", ready.snapshot, "--document", ready.document, carbon}),
                  "2 facts added");
        id({"snapshots", "build", ready.snapshot, "--wait"});
        EXPECT_EQ(done({"snapshots", "seal", ready.snapshot}).size(), 64U);
        ready.rules = id({"rules", "upload", write("p.rules", kRules + more_rules), "--package",
                          "small", "--tests", write("p.tests", kTests)});
        id({"rules", "test", ready.rules, "--wait"});
        EXPECT_EQ(done({"rules", "publish", ready.rules}), ready.rules + " PUBLISHED");
        id({"products", "create", "--sku", "SKU-1", "--name", "Pack 50"});
        ready.passport = id({"passports", "create", "--product", "SKU-1"});
        return ready;
    }
    std::string compiled(const Ready& ready) {
        return id({"passports", "compile", ready.passport, "--snapshot", ready.snapshot, "--rules",
                   ready.rules, "--wait"});
    }

    test::TempDir home_;
    Variables more_environment_;
    std::unique_ptr<test::ChildProcess> worker_;
};

}  // namespace jobforge::cli
