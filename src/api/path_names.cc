#include "api/path_names.h"

#include <fmt/format.h>

#include "services/access/key_text.h"

namespace jobforge::api {

namespace {

bool is_spelled_well(std::string_view name, std::string_view value) {
    if (name == "key_id") {
        return services::is_key_id(value);
    }
    if (name == "artifact_ref") {
        return value.size() == 64 &&
               value.find_first_not_of("0123456789abcdef") == std::string_view::npos;
    }
    if (name == "source") {  // a name, which never looks like an id, or an id
        return !Uuid::parse(value).ok() || canonical_id(value);
    }
    return !name.ends_with("_id") || canonical_id(value);
}

}  // namespace

std::optional<Uuid> canonical_id(std::string_view text) {
    const auto id = Uuid::parse(text);
    return id.ok() && id->to_string() == text ? std::optional(*id) : std::nullopt;
}

Status check_path_names(const PathParameters& parameters) {
    for (const auto& [name, value] : parameters) {
        if (!is_spelled_well(name, value)) {
            Error error =
                Error::of(ErrorCode::NOT_FOUND, fmt::format("there is no {} \"{}\"", name, value));
            error.hint =
                "Ids in paths are written as answers show them: in lower case, with dashes.";
            return error;
        }
    }
    return ok_status();
}

}  // namespace jobforge::api
