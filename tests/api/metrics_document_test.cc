// docs/metrics.md against the code: every metric is listed, no listed one is invented.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <string>

#include "child_process.h"
#include "temp_dir.h"
#include "test_paths.h"

namespace jobforge::test {
namespace {

const std::string kSource = JOBFORGE_SOURCE_DIR;

std::string read(const std::filesystem::path& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
}

// Name -> type of all matches.
std::map<std::string, std::string> find(const std::string& text, const std::regex& pattern) {
    std::map<std::string, std::string> found;
    for (std::sregex_iterator it(text.begin(), text.end(), pattern), end; it != end; ++it) {
        found[(*it)[1]] = (*it)[2];
    }
    return found;
}

TEST(MetricsDocument, lists_the_metrics_of_the_code_with_their_types) {
    std::map<std::string, std::string> written;
    const std::regex family(R"re(family\(\s*"(bpc_\w+)",\s*"(\w+)")re");
    for (const auto& entry : std::filesystem::recursive_directory_iterator(kSource + "/src")) {
        if (entry.path().extension() == ".cc") {
            written.merge(find(read(entry.path()), family));
        }
    }
    ASSERT_FALSE(written.empty());
    const std::regex row(R"(\| `(bpc_\w+)` \| (\w+) \|)");
    EXPECT_EQ(find(read(kSource + "/docs/metrics.md"), row), written);
}

TEST(MetricsDocument, has_alerts_that_promtool_accepts) {
    const std::string document = read(kSource + "/docs/metrics.md");
    const std::size_t begin = document.find("```yaml\n");
    ASSERT_NE(begin, std::string::npos);
    const std::string rules =
        document.substr(begin + 8, document.find("```", begin + 8) - begin - 8);
    const TempDir directory;
    const std::string file = directory.path() + "/rules.yml";
    std::ofstream(file) << rules;
    const Finished promtool = run({"promtool", "check", "rules", file});
    EXPECT_EQ(promtool.exit_code, 0) << promtool.output << promtool.error_output;
    EXPECT_NE(promtool.output.find("4 rules"), std::string::npos) << promtool.output;
}

}  // namespace
}  // namespace jobforge::test
