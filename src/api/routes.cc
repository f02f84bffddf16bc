#include "api/routes.h"

namespace jobforge::api {

std::span<const std::span<const Route>> all_routes() {
    static const std::vector<std::span<const Route>> kTables{
        job_routes(),         job_action_routes(), work_routes(),
        registry_routes(),    document_routes(),   snapshot_routes(),
        rule_routes(),        product_routes(),    passport_version_routes(),
        audit_routes(),       webhook_routes(),    source_routes(),
        intake_routes(),      access_routes(),     program_routes(),
        public_routes(),      stream_routes(),     artifact_routes(),
        connector_routes(),   platform_routes(),   webhook_change_routes(),
        audit_trail_routes(),
    };
    return kTables;
}

}  // namespace jobforge::api
