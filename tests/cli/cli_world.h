// Running the program on a database of the test's own, and reading its answers.
#pragma once

#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <jobforge/json.h>

#include "child_process.h"
#include "engine/schema/migrate.h"
#include "test_cluster.h"
#include "test_paths.h"

namespace jobforge::cli {

using Variables = std::map<std::string, std::string>;

inline Status migrate_template(const std::string& url) {
    auto report = engine::migrate(url);
    return report.ok() ? ok_status() : Status(std::move(report).error());
}

inline test::Finished run_program(std::vector<std::string> arguments, Variables environment) {
    arguments.insert(arguments.begin(), JOBFORGE_PROGRAM);
    return test::run(std::move(arguments), std::move(environment));
}

inline std::string trimmed(std::string text) {
    text.erase(text.find_last_not_of('\n') + 1);
    return text;
}

class CliWorld : public ::testing::Test {
protected:
    test::Finished run(std::vector<std::string> arguments, Variables more = {}) {
        more.emplace("DATABASE_URL", database_.url());
        return run_program(std::move(arguments), std::move(more));
    }
    // Runs with --json and parses the answer.
    Json json(std::vector<std::string> arguments, Variables more = {}) {
        arguments.emplace_back("--json");
        const test::Finished done = run(std::move(arguments), std::move(more));
        EXPECT_EQ(done.exit_code, 0) << done.error_output;
        auto value = Json::parse(trimmed(done.output));
        EXPECT_TRUE(value.ok()) << done.output;
        return value.ok() ? *value : Json();
    }
    // The first column of the first row, as text.
    std::string one(const std::string& sql) {
        auto connection = database_.connect();
        auto rows = connection.exec({"test_one", "select (" + sql + ")::text"});
        EXPECT_TRUE(rows.ok()) << (rows.ok() ? "" : rows.error().describe());
        return rows.ok() && !rows->is_null(0, 0) ? std::string(rows->text(0, 0)) : "";
    }
    std::string tenant() { return trimmed(run({"tenants", "create", "acme"}).output); }

    test::TestDatabase database_{"cli_test", &migrate_template};
};

}  // namespace jobforge::cli
