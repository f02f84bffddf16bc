// API keys as the SQL tests make and use them.
#pragma once

#include <string>

#include <fmt/format.h>

#include "sql_session.h"

namespace jobforge::test {

// A key id from a short name of the letters a-z: the form that the database wants.
inline std::string key_id(const std::string& name) {
    return name + std::string(16 - name.size(), '2');
}

inline std::string create_call(const std::string& name, const std::string& roles = "Admin",
                               const std::string& expires = "null") {
    return fmt::format(
        "select key_id from jobforge.create_api_key('{}', sha256('{}'), '{}', '{{{}}}', {}, 'me')",
        key_id(name), name, name, roles, expires);
}

inline std::string rotate_call(const std::string& name, const std::string& successor,
                               const std::string& overlap = "1 hour") {
    return fmt::format("select key_id from jobforge.rotate_api_key('{}', '{}', sha256('{}'), '{}')",
                       key_id(name), key_id(successor), successor, overlap);
}

inline std::string revoke_call(const std::string& name) {
    return fmt::format("select status from jobforge.revoke_api_key('{}', 'leaked', 'me')",
                       key_id(name));
}

inline std::string enter_call(const std::string& name, int version = 1, int access_version = 0,
                              bool changes = false) {
    return fmt::format("select jobforge.enter_request('{}', {}, {}, {})", key_id(name), version,
                       access_version, changes);
}

}  // namespace jobforge::test
