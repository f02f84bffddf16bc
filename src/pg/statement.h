// A statement that this program sends: its name and its text.
//
// The texts lie in sql/statements/<subject>/<name>.sql. cmake/embed_statements.py makes constants
// of them, in headers "statements/<subject>.h" of the build directory. The name is the one in logs
// and errors, and the beginning of the prepared statement's.
#pragma once

#include <string_view>

namespace jobforge::pg {

// Both must outlive the call (literals).
struct Statement {
    std::string_view name;
    std::string_view sql;
};

}  // namespace jobforge::pg
