#include "cli/source_lease.h"

#include "engine/admin.h"

namespace jobforge::cli {

Status apply_source_lease(const std::string& admin_url, const Config& config) {
    if (!config.source_lease) {
        return ok_status();
    }
    auto admin = engine::Admin::connect(admin_url);
    if (!admin.ok()) {
        return std::move(admin).error();
    }
    const Json policy = Json::object({{"lease_seconds", config.source_lease->count()}});
    if (auto set = admin->set_type("COLLECT_PRICES", policy); !set.ok()) {
        return std::move(set).error();
    }
    return ok_status();
}

}  // namespace jobforge::cli
