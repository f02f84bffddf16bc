// Use cases: documents and the facts they hold. The command line and the HTTP API call these.
//
// Rows come as JSON objects whose members are the columns of the SQL functions (docs/sql.md), so
// that a word is the same everywhere. Threads: as TenantCalls.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/database/tenant_calls.h"

namespace jobforge::services {

// A page of a list: at most `limit` rows (1..200), those before the last id of the page before.
struct Page {
    int limit = 50;
    std::optional<Uuid> before = {};
};

struct NewDocument {
    std::string kind;  // BOM, PCF, DUE_DILIGENCE, BATTERY_DATA, OTHER
    std::string name;
    std::string content;
    std::string media_type = "application/json";  // or text/csv
    std::optional<Uuid> document_id = {};         // an existing document: a new version of it
    std::optional<Uuid> document_version_id = {};
    std::string actor_id = {};
};

struct UploadedDocument {
    Uuid document_id, document_version_id;
    int version = 1;
    bool deduplicated = false;   // the document has these very bytes already
    std::optional<Uuid> job_id;  // PARSE_FACTS
};

// PAYLOAD_LIMIT over 64 MiB, VALIDATION_ERROR, NOT_FOUND.
[[nodiscard]] Result<UploadedDocument> upload_document(engine::TenantCalls& calls,
                                                       const NewDocument& document);
[[nodiscard]] Result<Json> get_document_version(engine::TenantCalls& calls, const Uuid& version);
// The bytes as they were uploaded.
[[nodiscard]] Result<std::string> document_content(engine::TenantCalls& calls, const Uuid& version);

struct DocumentFilter : Page {
    std::optional<std::string> kind = {};
    std::optional<std::string> status = {};
};
[[nodiscard]] Result<std::vector<Json>> list_document_versions(engine::TenantCalls& calls,
                                                               const DocumentFilter& filter);

struct FactFilter : Page {
    std::optional<Uuid> document_version_id = {};
    std::optional<std::string> fact_type = {};
    std::optional<std::string> key_prefix = {};
};
[[nodiscard]] Result<std::vector<Json>> list_facts(engine::TenantCalls& calls,
                                                   const FactFilter& filter);

// nullopt for an empty text: NULL in SQL.
[[nodiscard]] std::optional<std::string> unless_empty(const std::string& text);

}  // namespace jobforge::services
