#include "api/request_context.h"

#include <algorithm>

#include <fmt/format.h>

#include "api/path_names.h"

namespace jobforge::api {

std::string_view RequestContext::parameter(std::string_view name) const {
    const auto found = std::find_if(parameters.begin(), parameters.end(),
                                    [&](const auto& entry) { return entry.first == name; });
    return found == parameters.end() ? std::string_view() : std::string_view(found->second);
}

Result<Uuid> RequestContext::id(std::string_view name) const {
    const auto id = canonical_id(parameter(name));
    if (!id) {
        return Error::of(ErrorCode::NOT_FOUND,
                         fmt::format("there is no {} \"{}\"", name, parameter(name)));
    }
    return *id;
}

std::string RequestContext::actor() const {
    if (principal == nullptr) {
        return {};
    }
    return (principal->platform_mac ? "platform:" : "key:") + principal->key_id;
}

}  // namespace jobforge::api
