#include "cli/offline/key_argument.h"

#include "cli/usage.h"
#include "services/access/key_text.h"

namespace jobforge::cli {

Result<std::string> key_argument(const std::string& text) {
    if (services::is_key_id(text)) {
        return text;
    }
    if (auto key = services::ApiKeyText::parse(text); key.ok()) {
        return std::move(key->key_id);
    }
    return usage_error("this is not the id of a key",
                       "Ids have 16 characters: jobforge keys list shows them.");
}

}  // namespace jobforge::cli
