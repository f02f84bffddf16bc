#include "cli/key_argument.h"

#include "workloads/access/key_text.h"

namespace jobforge::cli {

Result<std::string> key_argument(const std::string& text) {
    if (workloads::is_key_id(text)) {
        return text;
    }
    if (auto key = workloads::ApiKeyText::parse(text); key.ok()) {
        return std::move(key->key_id);
    }
    Error error = Error::of(ErrorCode::VALIDATION_ERROR, "this is not the id of a key");
    error.hint = "Ids have 16 characters: jobforge keys list shows them.";
    return error;
}

}  // namespace jobforge::cli
