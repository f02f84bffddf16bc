// Rights: the roles of API keys and the permissions they have. One table
// (permissions.cc); docs/access.md shows the same and a test compares the two. Pure; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace jobforge::services {

enum class Role : std::uint8_t { admin, compliance_officer, auditor, operator_ };

// "Admin", "ComplianceOfficer", "Auditor", "Operator": the words of the database and of JSON.
[[nodiscard]] std::string_view to_string(Role role) noexcept;
[[nodiscard]] std::optional<Role> role_from_string(std::string_view name) noexcept;
[[nodiscard]] std::span<const Role> all_roles() noexcept;

// A set of roles.
class Roles final {
public:
    constexpr Roles() = default;
    constexpr Roles(std::initializer_list<Role> roles) {
        for (const Role role : roles) {
            add(role);
        }
    }
    // Words that are not roles are left out: a newer database may know more, and a role that this
    // program does not know gives nothing.
    [[nodiscard]] static Roles of(std::span<const std::string> names);

    constexpr void add(Role role) noexcept { bits_ |= bit(role); }
    [[nodiscard]] constexpr bool has(Role role) const noexcept { return (bits_ & bit(role)) != 0; }
    [[nodiscard]] constexpr bool has_any(Roles others) const noexcept {
        return (bits_ & others.bits_) != 0;
    }
    [[nodiscard]] std::vector<std::string> names() const;
    friend constexpr bool operator==(Roles, Roles) = default;

private:
    static constexpr unsigned bit(Role role) noexcept { return 1U << static_cast<unsigned>(role); }
    unsigned bits_ = 0;
};

enum class Permission : std::uint8_t {
    passport_read,
    passport_compile,
    passport_sign,
    passport_replay,
    passport_revoke,
    rules_read,
    rules_write,
    rules_publish,
    rules_test,
    docs_upload,
    docs_read,
    snapshot_build,
    snapshot_seal,
    audit_read,
    jobs_read,
    jobs_enqueue,
    jobs_manage,
    jobs_work,
    sources_read,
    sources_write,
    webhooks_admin,
    access_admin,
    tenant_admin,
    platform_admin,  // of no role: only platform keys have it
};

// "passport:read".
[[nodiscard]] std::string_view to_string(Permission permission) noexcept;
[[nodiscard]] std::span<const Permission> all_permissions() noexcept;
// The roles that have it.
[[nodiscard]] Roles roles_with(Permission permission) noexcept;
[[nodiscard]] bool has_permission(Roles roles, Permission permission) noexcept;

}  // namespace jobforge::services
