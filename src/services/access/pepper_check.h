// Whether a pepper is the one that a database's keys were made with.
//
// A pepper is not a part of the database: a node with another one answers every key with 401, as it
// answers a key that does not exist. The database has the pepper's fingerprint, noted when a key is
// made, so that both the API at its start and `keys create` can tell.
#pragma once

#include <functional>

#include <jobforge/error.h>

#include "pg/connection.h"
#include "services/access/key_text.h"

namespace jobforge::services {

// Runs a statement on whatever connection the caller has. Each may be repeated.
using RunStatement = std::function<Result<pg::Rows>(const pg::Statement&, pg::Params)>;

enum class PepperState {
    unknown,  // no key was made, or all of them before fingerprints were noted
    same,
    other,
};
[[nodiscard]] Result<PepperState> compare_pepper(const RunStatement& run, const Pepper& pepper);

// CONFIG_MISSING if the keys of the database were made with another pepper.
[[nodiscard]] Status require_same_pepper(const RunStatement& run, const Pepper& pepper);

enum class PepperChange { refused, meant };
// After a key was made with this pepper. `meant`: it takes the place of another one. A login that
// may not note it (a tenant's own) changes nothing, and that is not an error.
[[nodiscard]] Status note_pepper(const RunStatement& run, const Pepper& pepper,
                                 PepperChange change = PepperChange::refused);

}  // namespace jobforge::services
