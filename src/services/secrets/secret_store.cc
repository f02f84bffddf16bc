#include "services/secrets/secret_store.h"

#include <algorithm>

#include <fmt/format.h>

#include "services/secrets/secret_file.h"

namespace jobforge::services {

namespace {

constexpr std::size_t kLongestName = 64;

Error not_found(std::string message) {
    Error error = Error::of(ErrorCode::SECRET_NOT_FOUND, std::move(message));
    error.hint =
        "Set JOBFORGE_SECRET_<NAME> in the worker's environment, or put a file of that name into "
        "JOBFORGE_SECRETS_DIR.";
    return error;
}

bool is_plain(std::string_view value) noexcept {
    return std::ranges::none_of(value, [](char c) {
        const auto byte = static_cast<unsigned char>(c);
        return byte < 0x20 || byte == 0x7F;
    });
}

std::string without_last_line_break(std::string text) {
    if (text.ends_with('\n')) {
        text.pop_back();
    }
    if (text.ends_with('\r')) {
        text.pop_back();
    }
    return text;
}

}  // namespace

bool is_secret_name(std::string_view name) noexcept {
    return !name.empty() && name.size() <= kLongestName && std::ranges::all_of(name, [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               c == '_';
    });
}

SecretStore::SecretStore(Variables variables, std::string directory)
    : variables_(std::move(variables)), directory_(std::move(directory)) {}

Result<std::string> SecretStore::find(std::string_view name, const Uuid& tenant) const {
    if (!is_secret_name(name)) {
        return not_found("a secret's name is letters, digits and _, at most 64 of them");
    }
    auto value = look_up(std::string(name), tenant);
    if (!value.ok()) {
        return value;
    }
    if (value->size() < kShortestSecret) {
        return not_found(
            fmt::format("the secret {} has fewer than {} bytes", name, kShortestSecret));
    }
    if (!is_plain(*value)) {
        return not_found(
            fmt::format("the secret {} holds a line break or another control character", name));
    }
    return value;
}

Result<std::string> SecretStore::look_up(const std::string& name, const Uuid& tenant) const {
    auto own = file(fmt::format("{}/{}", tenant.to_string(), name));
    if (!own.ok() || *own) {
        return own.ok() ? Result<std::string>(**std::move(own)) : std::move(own).error();
    }
    if (auto value = variables_ ? variables_("JOBFORGE_SECRET_" + name) : std::nullopt) {
        return *std::move(value);
    }
    auto shared = file(name);
    if (!shared.ok() || *shared) {
        return shared.ok() ? Result<std::string>(**std::move(shared)) : std::move(shared).error();
    }
    return not_found(fmt::format("there is no secret {}", name));
}

Result<std::optional<std::string>> SecretStore::file(const std::string& path) const {
    if (directory_.empty()) {
        return std::optional<std::string>();
    }
    auto text = read_secret_file(directory_ + "/" + path);
    if (text.ok()) {
        return std::optional(without_last_line_break(*std::move(text)));
    }
    if (text.error().code == ErrorCode::NOT_FOUND) {
        return std::optional<std::string>();
    }
    // Without the reason's path: a reader of the job's error need not know the machine.
    return not_found("a file of the secrets directory cannot be read");
}

}  // namespace jobforge::services
