#include "services/passport/documents.h"

#include <fmt/format.h>

#include "passport/documents/document_facts.h"
#include "statements/documents.h"

namespace jobforge::services {

namespace {

using engine::Repeat;

// The database says the same; here before a hundred megabytes have travelled.
Status check_size(const std::string& content) {
    if (content.size() <= passport::kMaximumDocumentBytes) {
        return ok_status();
    }
    Error error =
        Error::of(ErrorCode::PAYLOAD_LIMIT,
                  fmt::format("the document has {} bytes, more than 64 MiB", content.size()));
    error.hint = "Split it into several documents.";
    return error;
}

}  // namespace

std::optional<std::string> unless_empty(const std::string& text) {
    return text.empty() ? std::nullopt : std::optional(text);
}

Result<UploadedDocument> upload_document(engine::TenantCalls& calls, const NewDocument& document) {
    if (auto size = check_size(document.content); !size.ok()) {
        return std::move(size).error();
    }
    pg::Params params;
    params.text(document.kind)
        .text(document.name)
        .bytea(document.content)
        .text(document.media_type)
        .opt_uuid(document.document_id)
        .opt_uuid(document.document_version_id)
        .opt_text(unless_empty(document.actor_id));
    // With an id chosen by the caller a repeated upload finds its own version again.
    const auto repeat = document.document_id ? Repeat::always : Repeat::if_not_done;
    const auto row =
        calls.run_one(statements::documents::kUploadDocument, std::move(params), repeat);
    if (!row.ok()) {
        return row.error();
    }
    return UploadedDocument{row->uuid(0, 0), row->uuid(0, 1), static_cast<int>(row->integer(0, 2)),
                            row->boolean(0, 3), row->opt_uuid(0, 4)};
}

Result<Json> get_document_version(engine::TenantCalls& calls, const Uuid& version) {
    pg::Params params;
    params.uuid(version);
    return calls.json_row(statements::documents::kGetDocumentVersion, std::move(params));
}

Result<std::string> document_content(engine::TenantCalls& calls, const Uuid& version) {
    pg::Params params;
    params.uuid(version);
    const auto row = calls.run_one(statements::documents::kGetDocumentContent, std::move(params),
                                   Repeat::always);
    if (!row.ok()) {
        return row.error();
    }
    return std::string(row->text(0, 0));
}

Result<std::vector<Json>> list_document_versions(engine::TenantCalls& calls,
                                                 const DocumentFilter& filter) {
    pg::Params params;
    params.opt_text(filter.kind).opt_text(filter.status).int4(filter.limit).opt_uuid(filter.before);
    return calls.json_rows(statements::documents::kListDocumentVersions, std::move(params));
}

Result<std::vector<Json>> list_facts(engine::TenantCalls& calls, const FactFilter& filter) {
    pg::Params params;
    params.opt_uuid(filter.document_version_id)
        .opt_text(filter.fact_type)
        .opt_text(filter.key_prefix)
        .int4(filter.limit)
        .opt_uuid(filter.before);
    return calls.json_rows(statements::documents::kListFacts, std::move(params));
}

}  // namespace jobforge::services
