// What the arguments of the engine's public functions may be: the table of arguments_test.cc.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace jobforge::test {

// Bad values of a type, each by a name.
using BadValues = std::vector<std::pair<std::string, std::string>>;

// An argument, a value that is fine beside the other fine ones (JOB: a running job of the tenant
// TENANT that worker w holds with token 1; DONE: a failed one), and what bad values are answered
// with, where it is not VALIDATION_ERROR: "name=CODE", or "name=ok" where the value has a
// documented meaning.
struct Argument {
    std::string name;
    std::string good;
    std::string exceptions;
};

struct Function {
    std::string name;
    bool for_tenants;  // acts for the tenant of the connection
    std::vector<Argument> arguments;
};

// By the type's name, as format_type writes it.
[[nodiscard]] const std::map<std::string, BadValues>& bad_values();
// Every public function of the engine that has arguments.
[[nodiscard]] const std::vector<Function>& engine_functions();

}  // namespace jobforge::test
