#include "cli/commands/type_settings.h"

#include "engine/database/admin.h"

namespace jobforge::cli {

Status apply_type_settings(const std::string& admin_url, const Config& config, bool new_database) {
    auto admin = engine::Admin::connect(admin_url);
    if (!admin.ok()) {
        return std::move(admin).error();
    }
    const bool production = config.environment == "prod";
    if (production || new_database || config.environment_given) {
        if (auto set = admin->enable_test_types(!production); !set.ok()) {
            return set;
        }
    }
    if (!config.source_lease) {
        return ok_status();
    }
    const Json policy = Json::object({{"lease_seconds", config.source_lease->count()}});
    if (auto set = admin->set_type("COLLECT_PRICES", policy); !set.ok()) {
        return std::move(set).error();
    }
    return ok_status();
}

}  // namespace jobforge::cli
