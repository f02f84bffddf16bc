// The deployment's own list of secrets, by name: what a payload's secret_ref means.
//
// A name is letters, digits and _ only, at most 64 of them: it cannot reach another environment
// variable or leave the directory. Looked for, in this order:
//   1. <directory>/<tenant id>/<NAME>   a file that this tenant alone may name
//   2. JOBFORGE_SECRET_<NAME>           an environment variable, for every tenant
//   3. <directory>/<NAME>               a file, for every tenant
// Files are read at every use, so that a rotation needs no restart; a line break at their end does
// not belong to the secret.
//
// Values never appear in an error. Threads: any.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <jobforge/error.h>
#include <jobforge/uuid.h>

namespace jobforge::services {

class SecretStore final {
public:
    // A shorter one cannot be kept out of texts without destroying them (core/redact.h).
    static constexpr std::size_t kShortestSecret = 4;

    // An environment variable's value; nullopt: not set.
    using Variables = std::function<std::optional<std::string>(std::string_view)>;

    // An empty directory: there is none.
    SecretStore(Variables variables, std::string directory);

    // SECRET_NOT_FOUND, permanent: no such name, an impossible name, a file that cannot be read, or
    // a value that is too short or holds control characters.
    [[nodiscard]] Result<std::string> find(std::string_view name, const Uuid& tenant) const;

private:
    [[nodiscard]] Result<std::string> look_up(const std::string& name, const Uuid& tenant) const;
    [[nodiscard]] Result<std::optional<std::string>> file(const std::string& path) const;

    Variables variables_;
    std::string directory_;
};

[[nodiscard]] bool is_secret_name(std::string_view name) noexcept;

}  // namespace jobforge::services
