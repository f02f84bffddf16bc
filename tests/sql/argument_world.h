// What the table of arguments_test.cc calls by name: one of everything that functions take the id
// of, in the state in which the call with good values succeeds.
#pragma once

#include <map>
#include <string>

#include "sql_session.h"

namespace jobforge::test {

// Ids and the like by name, such as "<sealed>": a snapshot that is SEALED. For tenant A.
[[nodiscard]] std::map<std::string, std::string> argument_world(Session& sql);

}  // namespace jobforge::test
