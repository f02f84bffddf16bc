#include "api/routes.h"

namespace jobforge::api {

std::span<const std::span<const Route>> all_routes() {
    static const std::vector<std::span<const Route>> tables{
        job_routes(),
        job_action_routes(),
        program_routes(),
    };
    return tables;
}

}  // namespace jobforge::api
