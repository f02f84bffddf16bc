// Policies narrow what roles give: allow or deny by method and path, the highest priority first.
//
// The first policy that matches, in the order of priority (high to low) and deny before allow among
// equals, decides. An allow gives nothing that the roles do not: it only shields from the denials
// below it. Without a matching policy the roles decide. Pure; any thread.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <jobforge/error.h>
#include <jobforge/json.h>
#include <jobforge/uuid.h>

#include "services/access/permissions.h"

namespace jobforge::services {

// The segments of a path, compiled once: a pattern is matched for every request.
class PathPattern final {
public:
    // '/'-separated: words, "*" (exactly one segment), and at the end "**" (the rest, also an empty
    // one: /v1/jobs/** covers /v1/jobs too). A UUID may be written in capitals here and is matched
    // as paths have it, in lower case: a denial must not depend on how it was typed.
    // VALIDATION_ERROR.
    [[nodiscard]] static Result<PathPattern> parse(std::string_view text);
    // `path` as the router sees it: decoded, without a query. Empty segments are passed over, so
    // no spelling of a path (/v1//jobs/) slips past a denial.
    [[nodiscard]] bool matches(std::string_view path) const noexcept;

private:
    std::vector<std::string> segments_;  // without the final "**"
    bool rest_ = false;
};

struct Policy {
    Uuid policy_id;
    bool deny = false;
    int priority = 0;
    std::string method;  // "*" or upper case; GET is HEAD too
    PathPattern path;
};

// The policies of one key in the order in which they decide: those for everybody, for its roles and
// for itself (find_api_key leaves the others out).
class Policies final {
public:
    Policies() = default;
    explicit Policies(std::vector<Policy> policies);
    // The JSON array of find_api_key. INTERNAL_ERROR for one that this program cannot read: a
    // denial that is passed over would be an open door.
    [[nodiscard]] static Result<Policies> from_json(std::string_view text);

    // The policy that decides; null: none matches. `other_paths` are the other spellings of what is
    // under `path`, such as a source's id where the path has its name: a policy that matches one
    // of them matches.
    [[nodiscard]] const Policy* find(std::string_view method, std::string_view path,
                                     std::span<const std::string> other_paths = {}) const noexcept;
    [[nodiscard]] std::size_t size() const noexcept { return policies_.size(); }

private:
    std::vector<Policy> policies_;
};

// Why a request may go on, or not.
struct Decision {
    bool allowed = false;
    std::string_view reason;             // of a refusal: "role" or "policy"
    std::optional<Uuid> policy_id = {};  // the policy that decided
};
[[nodiscard]] Decision decide(Roles roles, const Policies& policies, Permission permission,
                              std::string_view method, std::string_view path,
                              std::span<const std::string> other_paths = {}) noexcept;

}  // namespace jobforge::services
