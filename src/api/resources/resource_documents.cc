// /v1/documents, /v1/document-versions, /v1/facts.
#include "api/answers.h"
#include "api/request_context.h"
#include "api/routes.h"
#include "services/passport/documents.h"

namespace jobforge::api {

namespace {

using services::Permission;

// The body is the document, whatever its media type says; the rest stands in the query, so that
// `curl --data-binary @bom.json` uploads a file as it is.
Result<http::Response> upload(RequestContext& context) {
    QueryFields query(context.request);
    services::NewDocument document;
    const auto kind = query.opt_text("kind");
    const auto name = query.opt_text("name");
    document.document_id = query.opt_uuid("document_id");
    document.document_version_id = query.opt_uuid("document_version_id");
    if (!kind || !name) {
        query.refuse(kind ? "name" : "kind", "is missing");
    }
    if (auto read = query.finish(); !read.ok()) {
        return std::move(read).error();
    }
    document.kind = *kind;
    document.name = *name;
    if (const std::string* type = context.request.header("content-type")) {
        document.media_type = type->substr(0, type->find(';'));
    }
    document.content = context.request.body;
    document.actor_id = context.actor();
    const auto uploaded = services::upload_document(*context.calls, document);
    if (!uploaded.ok()) {
        return uploaded.error();
    }
    Json answer = Json::object({{"document_id", uploaded->document_id.to_string()},
                                {"document_version_id", uploaded->document_version_id.to_string()},
                                {"version", uploaded->version},
                                {"deduplicated", uploaded->deduplicated}});
    answer.set("job_id", uploaded->job_id ? Json(uploaded->job_id->to_string()) : Json());
    if (uploaded->deduplicated) {
        return json_response(answer.dump());
    }
    if (uploaded->job_id) {
        context.enqueued.push_back(*uploaded->job_id);
    }
    return created_response("/v1/document-versions/" + uploaded->document_version_id.to_string(),
                            answer.dump());
}

Result<http::Response> list_versions(RequestContext& context) {
    QueryFields query(context.request);
    const PageQuery page = PageQuery::read(query);
    services::DocumentFilter filter;
    filter.limit = page.rows_to_ask();
    filter.before = page.before_id(query);
    filter.kind = query.opt_text("kind");
    filter.status = query.opt_text("status");
    if (auto read = query.finish(); !read.ok()) {
        return std::move(read).error();
    }
    return answer_page(services::list_document_versions(*context.calls, filter), page,
                       "document_version_id");
}

Result<http::Response> get_version(RequestContext& context) {
    const auto id = context.id("document_version_id");
    if (!id.ok()) {
        return id.error();
    }
    return answer_object(services::get_document_version(*context.calls, *id));
}

Result<http::Response> get_content(RequestContext& context) {
    const auto id = context.id("document_version_id");
    if (!id.ok()) {
        return id.error();
    }
    const auto row = services::get_document_version(*context.calls, *id);
    if (!row.ok()) {
        return row.error();
    }
    auto bytes = services::document_content(*context.calls, *id);
    if (!bytes.ok()) {
        return std::move(bytes).error();
    }
    const Json* type = row->find("media_type");
    const std::string* text = type == nullptr ? nullptr : type->as_string();
    return immutable_response(context.request, *std::move(bytes),
                              text == nullptr ? "application/octet-stream" : *text);
}

Result<http::Response> list_facts(RequestContext& context) {
    QueryFields query(context.request);
    const PageQuery page = PageQuery::read(query);
    services::FactFilter filter;
    filter.limit = page.rows_to_ask();
    filter.before = page.before_id(query);
    filter.document_version_id = query.opt_uuid("document_version_id");
    filter.fact_type = query.opt_text("fact_type");
    filter.key_prefix = query.opt_text("key_prefix");
    if (auto read = query.finish(); !read.ok()) {
        return std::move(read).error();
    }
    return answer_page(services::list_facts(*context.calls, filter), page, "fact_id");
}

}  // namespace

std::span<const Route> document_routes() {
    static constexpr Route kRoutes[] = {
        {"POST", "/v1/documents", Permission::docs_upload, Work::change, &upload, kDocumentBody,
         true},
        {"GET", "/v1/document-versions", Permission::docs_read, Work::read, &list_versions},
        {"GET", "/v1/document-versions/{document_version_id}", Permission::docs_read, Work::read,
         &get_version},
        {"GET", "/v1/document-versions/{document_version_id}/content", Permission::docs_read,
         Work::read, &get_content},
        {"GET", "/v1/facts", Permission::docs_read, Work::read, &list_facts},
    };
    return kRoutes;
}

}  // namespace jobforge::api
