// PARSE_FACTS: the facts of an uploaded document. A document that cannot be read is REJECTED with
// reason and place, and the job FAILED: repeating would not make the document better.
#include <fmt/format.h>

#include "base/json/canonical.h"
#include "passport/documents/document_facts.h"
#include "services/jobs/step.h"
#include "services/passport/passport_handlers.h"
#include "statements/documents.h"

namespace jobforge::services {

namespace {

Json rejection(const Error& error) {
    Json out =
        Json::object({{"code", std::string(to_string(error.code))}, {"message", error.message}});
    if (auto details = Json::parse(error.details); details.ok() && details->is_object()) {
        for (const auto& [key, value] : *details->as_object()) {
            out.set(key, value);
        }
    }
    return out;
}

bool is_rejection(const Error& error) {
    return error.code == ErrorCode::DOCUMENT_REJECTED ||
           error.code == ErrorCode::UNSUPPORTED_DOCUMENT_KIND;
}

Outcome reject(Step& step, const Uuid& document, const Error& error) {
    pg::Params params;
    params.uuid(document).jsonb(rejection(error).dump());
    if (auto done = step.call(statements::documents::kRejectDocument, params); !done.ok()) {
        return outcome_of(done.error());
    }
    return Fail{JobError(error)};
}

Result<pg::Params> store_params(const Uuid& document,
                                const std::vector<passport::DocumentFact>& facts) {
    std::vector<std::string> types;
    std::vector<std::string> keys;
    std::vector<std::string> payloads;
    std::vector<std::string> places;
    Json::Array numbers;
    for (const passport::DocumentFact& fact : facts) {
        auto bytes = canonical(fact.payload);
        if (!bytes.ok()) {
            Error error = std::move(bytes).error();
            error.code = ErrorCode::DOCUMENT_REJECTED;
            error.message = fmt::format("{}: {}", fact.place, error.message);
            return error;
        }
        types.push_back(fact.fact_type);
        keys.push_back(fact.fact_key);
        payloads.push_back(*std::move(bytes));
        places.push_back(fact.place);
        numbers.emplace_back(Json::Array(fact.numbers.begin(), fact.numbers.end()));
    }
    pg::Params params;
    params.uuid(document)
        .text_array(types)
        .text_array(keys)
        .bytea_array(payloads)
        .text_array(places)
        .jsonb(Json(std::move(numbers)).dump());
    return params;
}

}  // namespace

Outcome handle_parse_facts(JobContext& context) {
    const auto document = uuid_member(context.job().payload, "document_version_id");
    if (!document.ok()) {
        return Fail{JobError(document.error())};
    }
    Step step(context);
    pg::Params params;
    params.uuid(*document);
    const auto row = step.call(statements::documents::kDocumentToParse, params);
    if (!row.ok()) {
        return outcome_of(row.error());
    }
    const auto facts =
        passport::facts_of_document(row->text(0, 0), row->text(0, 1), row->text(0, 2));
    if (!facts.ok()) {
        return is_rejection(facts.error()) ? reject(step, *document, facts.error())
                                           : outcome_of(facts.error());
    }
    const auto stored = store_params(*document, *facts);
    if (!stored.ok()) {
        return reject(step, *document, stored.error());
    }
    const auto count = step.call(statements::documents::kStoreFacts, *stored);
    if (!count.ok()) {
        return outcome_of(count.error());
    }
    return Done{Json::object(
        {{"document_version_id", document->to_string()}, {"fact_count", count->integer(0, 0)}})};
}

}  // namespace jobforge::services
