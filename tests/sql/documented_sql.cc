#include "documented_sql.h"

#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

#include "test_paths.h"

namespace jobforge::test {

std::string documented_sql(const std::string& marker) {
    std::ifstream file(std::string(JOBFORGE_SOURCE_DIR) + "/docs/sql.md");
    std::stringstream text;
    text << file.rdbuf();
    const std::string page = text.str();
    const std::size_t at = page.find("<!-- run: " + marker + " -->");
    EXPECT_NE(at, std::string::npos) << marker;
    const std::size_t begin = page.find("```sql\n", at) + 7;
    return page.substr(begin, page.find("```", begin) - begin);
}

void replace_all(std::string& text, const std::string& what, const std::string& with) {
    for (std::size_t at = text.find(what); at != std::string::npos;
         at = text.find(what, at + with.size())) {
        text.replace(at, what.size(), with);
    }
}

}  // namespace jobforge::test
