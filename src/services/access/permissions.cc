#include "services/access/permissions.h"

#include <algorithm>
#include <array>

namespace jobforge::services {

namespace {

struct RoleName {
    Role role;
    std::string_view name;
};
constexpr std::array kRoles{
    RoleName{Role::admin, "Admin"},
    RoleName{Role::compliance_officer, "ComplianceOfficer"},
    RoleName{Role::auditor, "Auditor"},
    RoleName{Role::operator_, "Operator"},
};
constexpr std::array kAllRoles{Role::admin, Role::compliance_officer, Role::auditor,
                               Role::operator_};

// One letter each: the table below is read by its columns.
// NOLINTBEGIN(readability-identifier-naming)
constexpr Role A = Role::admin;
constexpr Role C = Role::compliance_officer;
constexpr Role U = Role::auditor;
constexpr Role O = Role::operator_;
// NOLINTEND(readability-identifier-naming)

struct Row {
    Permission permission;
    std::string_view name;
    Roles roles;
};
// In the order of the enumeration: a permission is its own index.
constexpr std::array kTable{
    Row{Permission::passport_read, "passport:read", {A, C, U}},
    Row{Permission::passport_compile, "passport:compile", {A, C}},
    Row{Permission::passport_sign, "passport:sign", {A}},
    Row{Permission::passport_replay, "passport:replay", {A, C}},
    Row{Permission::passport_revoke, "passport:revoke", {A}},
    Row{Permission::rules_read, "rules:read", {A, C, U}},
    Row{Permission::rules_write, "rules:write", {A, C}},
    Row{Permission::rules_publish, "rules:publish", {A}},
    Row{Permission::rules_test, "rules:test", {A, C}},
    Row{Permission::docs_upload, "docs:upload", {A, C}},
    Row{Permission::docs_read, "docs:read", {A, C, U}},
    Row{Permission::snapshot_build, "snapshot:build", {A, C}},
    Row{Permission::snapshot_seal, "snapshot:seal", {A, C}},
    Row{Permission::audit_read, "audit:read", {A, C, U}},
    Row{Permission::jobs_read, "jobs:read", {A, C, U, O}},
    Row{Permission::jobs_enqueue, "jobs:enqueue", {A, O}},
    Row{Permission::jobs_manage, "jobs:manage", {A, O}},
    Row{Permission::jobs_work, "jobs:work", {A, O}},
    Row{Permission::sources_read, "sources:read", {A, C, O}},
    Row{Permission::sources_write, "sources:write", {A, O}},
    Row{Permission::webhooks_admin, "webhooks:admin", {A}},
    Row{Permission::access_admin, "access:admin", {A}},
    Row{Permission::tenant_admin, "tenant:admin", {A}},
    Row{Permission::platform_admin, "platform:admin", {}},
};
constexpr auto kAllPermissions = [] {
    std::array<Permission, kTable.size()> all{};
    for (std::size_t i = 0; i < kTable.size(); ++i) {
        all[i] = kTable[i].permission;
    }
    return all;
}();
static_assert([] {
    for (std::size_t i = 0; i < kTable.size(); ++i) {
        if (static_cast<std::size_t>(kTable[i].permission) != i) {
            return false;
        }
    }
    return kTable.size() == static_cast<std::size_t>(Permission::platform_admin) + 1;
}());

const Row& row_of(Permission permission) noexcept {
    return kTable[static_cast<std::size_t>(permission)];
}

}  // namespace

std::string_view to_string(Role role) noexcept {
    return kRoles[static_cast<std::size_t>(role)].name;
}

std::optional<Role> role_from_string(std::string_view name) noexcept {
    const auto* const found = std::find_if(kRoles.begin(), kRoles.end(),
                                           [&](const RoleName& r) { return r.name == name; });
    return found == kRoles.end() ? std::nullopt : std::optional(found->role);
}

std::span<const Role> all_roles() noexcept {
    return kAllRoles;
}

Roles Roles::of(std::span<const std::string> names) {
    Roles roles;
    for (const std::string& name : names) {
        if (const auto role = role_from_string(name)) {
            roles.add(*role);
        }
    }
    return roles;
}

std::vector<std::string> Roles::names() const {
    std::vector<std::string> names;
    for (const Role role : kAllRoles) {
        if (has(role)) {
            names.emplace_back(to_string(role));
        }
    }
    return names;
}

std::string_view to_string(Permission permission) noexcept {
    return row_of(permission).name;
}

std::span<const Permission> all_permissions() noexcept {
    return kAllPermissions;
}

Roles roles_with(Permission permission) noexcept {
    return row_of(permission).roles;
}

bool has_permission(Roles roles, Permission permission) noexcept {
    return roles.has_any(roles_with(permission));
}

}  // namespace jobforge::services
