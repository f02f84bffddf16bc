// RFC 6901: the place of a value in a document. Pure; any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <jobforge/error.h>
#include <jobforge/json.h>

namespace jobforge::services {

class JsonPointer final {
public:
    JsonPointer() = default;  // the whole document
    // "" or "/a/0/b~1c"; "~1" is '/', "~0" is '~'. VALIDATION_ERROR for anything else.
    [[nodiscard]] static Result<JsonPointer> parse(std::string_view text);

    // The value there; nullptr if the document has no such place. Array elements by their index
    // without leading zeros; "-" (behind the last) is not a place.
    [[nodiscard]] const Json* find(const Json& document) const noexcept;

private:
    std::vector<std::string> steps_;
};

}  // namespace jobforge::services
