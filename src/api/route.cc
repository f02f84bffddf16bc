#include "api/route.h"

#include <fmt/format.h>

#include "api/request_context.h"

namespace jobforge::api {

Result<http::Response> Answer::operator()(RequestContext& context) const {
    if (!in_halves()) {
        return whole_(context);
    }
    auto call = ask(context);
    if (!call.ok()) {
        return std::move(call).error();
    }
    const auto rows = context.calls->run_one(call->statement, std::move(call->params),
                                             engine::Repeat::if_not_done);
    if (!rows.ok()) {
        return rows.error();
    }
    return tell(context, *rows);
}

std::string route_name(const Route& route) {
    return fmt::format("{} {}", route.method, route.pattern);
}

}  // namespace jobforge::api
