// How the names in a path may be spelled: in one way, as answers show them.
//
// What can be spelled in two ways can pass a policy that knows one of them. So an id in capitals,
// in braces or without dashes is not an id here, and its request is answered before anybody decides
// about it. Names that two texts may stand for (a source's name and its id) are Route::things.
// Pure.
#pragma once

#include <optional>
#include <string_view>

#include <jobforge/error.h>
#include <jobforge/uuid.h>

#include "api/router.h"

namespace jobforge::api {

// A UUID in the one form that paths have: 36 characters, lower case.
[[nodiscard]] std::optional<Uuid> canonical_id(std::string_view text);

// NOT_FOUND for a name that is not spelled as ids are; a {name} that ends in _id is one, and a
// {source} may be one.
[[nodiscard]] Status check_path_names(const PathParameters& parameters);

}  // namespace jobforge::api
