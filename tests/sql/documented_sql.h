// Statements of docs/sql.md, to be run as they stand there.
#pragma once

#include <string>

namespace jobforge::test {

// The ```sql block behind the comment <!-- run: MARKER -->.
[[nodiscard]] std::string documented_sql(const std::string& marker);
// Replaces every occurrence.
void replace_all(std::string& text, const std::string& what, const std::string& with);

}  // namespace jobforge::test
