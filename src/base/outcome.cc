#include <jobforge/outcome.h>

namespace jobforge {

namespace {

Json parse_details(const std::string& text) {
    if (text.empty()) {
        return {};
    }
    auto details = Json::parse(text);
    return details ? std::move(*details) : Json(text);
}

}  // namespace

JobError::JobError(const Error& error)
    : code(to_string(error.code)), message(error.message), details(parse_details(error.details)) {
    if (!error.sqlstate.empty() && details.is_null()) {
        details = Json::object({{"sqlstate", error.sqlstate}, {"statement", error.statement}});
    }
}

Outcome outcome_of(const Error& error) {
    if (error.retryable || error.connection_lost || error.outcome_unknown) {
        return Retry{JobError(error)};
    }
    return Fail{JobError(error)};
}

}  // namespace jobforge
