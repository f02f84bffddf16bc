// What the arguments of the public functions may be: the table of arguments_test.cc.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace jobforge::test {

// Bad values of a type, each by a name.
using BadValues = std::vector<std::pair<std::string, std::string>>;

// An argument, a value that is fine beside the other fine ones (JOB: a running job of the tenant
// TENANT that worker w holds with token 1; DONE: a failed one; <name>: of argument_world.h), and
// what bad values are answered with, where it is not VALIDATION_ERROR: "name=CODE", or "name=ok"
// where the value has a documented meaning.
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

// The id of something that must be there.
inline Argument known(const std::string& name, const std::string& object) {
    return {name, "'<" + object + ">'", "null=NOT_FOUND nil=NOT_FOUND unknown=NOT_FOUND"};
}
// A filter, or the id of something new.
inline Argument any_id(const std::string& name) {
    return {name, "null", "null=ok nil=ok unknown=ok"};
}
inline Argument any_text(const std::string& name) {
    return {name, "null", "null=ok empty=ok long=ok"};
}
// What is stored with a job.
inline Argument short_text(const std::string& name) {
    return {name, "null", "null=ok empty=ok"};
}
inline const Argument kPage = {"p_limit", "50", ""};

// By the type's name, as format_type writes it.
[[nodiscard]] const std::map<std::string, BadValues>& bad_values();
// What may be fine for one argument and bad for another: any answer of ours will do.
[[nodiscard]] const std::map<std::string, BadValues>& odd_values();
// Every public function that has arguments, by subject.
[[nodiscard]] const std::vector<Function>& engine_functions();
[[nodiscard]] const std::vector<Function>& access_functions();
[[nodiscard]] const std::vector<Function>& passport_functions();
[[nodiscard]] const std::vector<Function>& source_functions();
[[nodiscard]] std::vector<Function> all_functions();

}  // namespace jobforge::test
