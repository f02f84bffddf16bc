#include "passport/snapshot.h"

#include "passport/text_forms.h"

namespace jobforge::passport {

Result<Json> snapshot_document(std::string_view snapshot_id, const rules::FactSet& facts) {
    Json::Array items;
    for (const rules::Fact& fact : facts.all()) {
        if (!is_hash_text(fact.source_sha256)) {
            return Error::of(ErrorCode::VALIDATION_ERROR,
                             "The fact " + fact.fact_type + " \"" + fact.fact_key +
                                 "\" does not say the SHA-256 of the document it came from.");
        }
        items.push_back(Json::object({{"fact_key", fact.fact_key},
                                      {"fact_type", fact.fact_type},
                                      {"payload_hash", fact.payload_hash},
                                      {"source_sha256", fact.source_sha256}}));
    }
    return Json::object({{"facts", std::move(items)},
                         {"snapshot_id", snapshot_id},
                         {"snapshot_version", "BPC-SNAPSHOT-1"}});
}

}  // namespace jobforge::passport
