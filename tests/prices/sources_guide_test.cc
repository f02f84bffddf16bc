// docs/sources.md, command by command, as a reader would type them.
#include <cstdlib>
#include <fstream>
#include <regex>
#include <sstream>

#include <fmt/format.h>

#include "price_world.h"
#include "test_paths.h"

namespace jobforge::test {
namespace {

struct Typed {
    std::string command;
    std::string shown;  // what the guide says it prints
};

// The commands of the ```console blocks, in order.
std::vector<Typed> commands_of(const std::string& path) {
    std::ifstream file(path);
    std::vector<Typed> typed;
    bool inside = false;
    for (std::string line; std::getline(file, line);) {
        if (line.starts_with("```")) {
            inside = line == "```console";
        } else if (inside && line.starts_with("$ ")) {
            typed.push_back({line.substr(2), ""});
        } else if (inside && !typed.empty()) {
            typed.back().shown += line + "\n";
        }
    }
    return typed;
}

// Ids and times differ from run to run, and with them the widths of columns.
std::string without_chance(std::string text) {
    text = std::regex_replace(text, std::regex("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"), "ID");
    text = std::regex_replace(text, std::regex("20[0-9]{2}-[0-9]{2}-[0-9]{2} [0-9:]{8}"), "TIME");
    return std::regex_replace(text, std::regex("[ ]+"), " ");
}

class SourcesGuide : public PriceWorld {
protected:
    // What each command printed on standard output.
    std::vector<std::string> run_all(const std::vector<Typed>& typed, const std::string& origin) {
        std::string script =
            "set -e\ncd " JOBFORGE_SOURCE_DIR "\njobforge() { " JOBFORGE_PROGRAM " \"$@\"; }\n";
        for (const Typed& one_command : typed) {
            script += one_command.command + "\necho @@\n";
        }
        script = std::regex_replace(script, std::regex("http://127\\.0\\.0\\.1:8099"), origin);
        const Finished finished = test::run({"bash", "-c", script},
                                            {{"DATABASE_URL", settings_.database_url},
                                             {"JOBFORGE_TENANT", tenant_},
                                             {"JOBFORGE_DATA", directory_.path()}},
                                            std::chrono::seconds(60));
        EXPECT_EQ(finished.exit_code, 0) << finished.error_output;
        std::vector<std::string> outputs{""};
        std::istringstream lines(finished.output);
        for (std::string line; std::getline(lines, line);) {
            line == "@@" ? outputs.emplace_back() : outputs.back().append(line + "\n");
        }
        outputs.pop_back();
        return outputs;
    }
};

TEST_F(SourcesGuide, EveryCommandPrintsWhatTheGuideShows) {
    const auto typed = commands_of(JOBFORGE_SOURCE_DIR "/docs/sources.md");
    ASSERT_GE(typed.size(), 10U);
    const auto marketplace = market();
    start_process();
    const auto printed =
        run_all(typed, marketplace->base_url().substr(0, marketplace->base_url().rfind('/')));
    end_processes();
    ASSERT_EQ(printed.size(), typed.size());
    for (std::size_t i = 0; i < typed.size(); ++i) {
        EXPECT_EQ(without_chance(printed[i]), without_chance(typed[i].shown))
            << typed[i].command << "\nprinted:\n"
            << printed[i];
    }
}

}  // namespace
}  // namespace jobforge::test
