#include "services/access/policies.h"

#include <algorithm>

namespace jobforge::services {

namespace {

constexpr std::string_view kOne = "*";
constexpr std::string_view kRest = "**";

// Cuts the next segment off `path`, without empty ones; "" at the end.
std::string_view next_segment(std::string_view& path) noexcept {
    while (path.starts_with('/')) {
        path.remove_prefix(1);
    }
    const std::string_view segment = path.substr(0, path.find('/'));
    path.remove_prefix(segment.size());
    return segment;
}

bool is_word(std::string_view segment) noexcept {
    return !segment.empty() && std::all_of(segment.begin(), segment.end(), [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               std::string_view("._~:@-").find(c) != std::string_view::npos;
    });
}

Error bad_pattern(std::string_view why) {
    Error error =
        Error::of(ErrorCode::VALIDATION_ERROR, "this is not a path pattern: " + std::string(why));
    error.hint = "Such as /v1/jobs, /v1/jobs/*/cancel (one segment), /v1/passports/** (the rest).";
    return error;
}

Error unreadable() {
    return Error::of(ErrorCode::INTERNAL_ERROR, "the policies of an API key cannot be read");
}

// A member of a policy's JSON; null if it is not of that type.
const std::string* text_of(const Json& policy, std::string_view member) {
    const Json* value = policy.find(member);
    return value == nullptr ? nullptr : value->as_string();
}

Result<Policy> policy_of(const Json& json) {
    const std::string* id = text_of(json, "policy_id");
    const std::string* effect = text_of(json, "effect");
    const std::string* method = text_of(json, "method");
    const std::string* pattern = text_of(json, "path_pattern");
    const Json* priority = json.find("priority");
    if (id == nullptr || effect == nullptr || method == nullptr || pattern == nullptr ||
        priority == nullptr || (*effect != "deny" && *effect != "allow")) {
        return unreadable();
    }
    const auto policy_id = Uuid::parse(*id);
    const auto number = priority->as_int64();
    auto path = PathPattern::parse(*pattern);
    if (!policy_id.ok() || !number || !path.ok()) {
        return unreadable();
    }
    return Policy{*policy_id, *effect == "deny", static_cast<int>(*number), *method,
                  *std::move(path)};
}

}  // namespace

Result<PathPattern> PathPattern::parse(std::string_view text) {
    if (!text.starts_with('/') || text.size() > 500) {
        return bad_pattern("it begins with / and has at most 500 characters");
    }
    PathPattern pattern;
    while (!text.empty()) {
        text.remove_prefix(1);  // the slash
        const std::string_view segment = text.substr(0, text.find('/'));
        text.remove_prefix(segment.size());
        if (segment == kRest && text.empty()) {
            pattern.rest_ = true;
        } else if (segment == kOne || is_word(segment)) {
            const auto id = Uuid::parse(segment);
            pattern.segments_.push_back(id.ok() ? id->to_string() : std::string(segment));
        } else {
            return bad_pattern("a segment is a word or *, and ** stands at the end");
        }
    }
    return pattern;
}

bool PathPattern::matches(std::string_view path) const noexcept {
    for (const std::string& wanted : segments_) {
        const std::string_view segment = next_segment(path);
        if (segment.empty() || (wanted != kOne && wanted != segment)) {
            return false;
        }
    }
    return rest_ || next_segment(path).empty();
}

Policies::Policies(std::vector<Policy> policies) : policies_(std::move(policies)) {
    std::stable_sort(policies_.begin(), policies_.end(), [](const Policy& a, const Policy& b) {
        return a.priority != b.priority ? a.priority > b.priority : a.deny && !b.deny;
    });
}

Result<Policies> Policies::from_json(std::string_view text) {
    const auto json = Json::parse(text);
    if (!json.ok() || json->as_array() == nullptr) {
        return unreadable();
    }
    std::vector<Policy> policies;
    for (const Json& element : *json->as_array()) {
        auto policy = policy_of(element);
        if (!policy.ok()) {
            return std::move(policy).error();
        }
        policies.push_back(*std::move(policy));
    }
    return Policies(std::move(policies));
}

const Policy* Policies::find(std::string_view method, std::string_view path,
                             std::span<const std::string> other_paths) const noexcept {
    const std::string_view asked = method == "HEAD" ? "GET" : method;
    const auto covers = [&](const PathPattern& pattern) {
        return pattern.matches(path) ||
               std::any_of(other_paths.begin(), other_paths.end(),
                           [&](const std::string& other) { return pattern.matches(other); });
    };
    const auto found = std::find_if(policies_.begin(), policies_.end(), [&](const Policy& policy) {
        return (policy.method == "*" || policy.method == asked) && covers(policy.path);
    });
    return found == policies_.end() ? nullptr : &*found;
}

Decision decide(Roles roles, const Policies& policies, Permission permission,
                std::string_view method, std::string_view path,
                std::span<const std::string> other_paths) noexcept {
    if (!has_permission(roles, permission)) {
        return {.allowed = false, .reason = "role"};
    }
    const Policy* policy = policies.find(method, path, other_paths);
    if (policy == nullptr) {
        return {.allowed = true, .reason = {}};
    }
    return {.allowed = !policy->deny,
            .reason = policy->deny ? "policy" : std::string_view(),
            .policy_id = policy->policy_id};
}

}  // namespace jobforge::services
