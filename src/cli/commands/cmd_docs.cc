// jobforge docs upload|list|show|content
#include <filesystem>

#include <fmt/format.h>

#include "cli/commands/commands.h"
#include "cli/commands/use_case.h"
#include "cli/offline/passport_inputs.h"
#include "cli/view/output.h"
#include "services/passport/documents.h"

namespace jobforge::cli {

namespace {

struct DocsOptions {
    std::string file;
    std::string name;
    std::string media_type;
    std::string document;
    std::string id;
    std::optional<std::string> kind;
    std::optional<std::string> status;
    PageOptions page;
    WaitOptions wait;
};

constexpr IdKind kDocument{"document id", "jobforge docs list --json"};

std::string media_type_of(const DocsOptions& options) {
    if (!options.media_type.empty()) {
        return options.media_type;
    }
    return std::filesystem::path(options.file).extension() == ".csv" ? "text/csv"
                                                                     : "application/json";
}

Result<services::NewDocument> to_document(const DocsOptions& options) {
    auto document_id = optional_id_argument(kDocument, options.document);
    if (!document_id.ok()) {
        return std::move(document_id).error();
    }
    auto content = read_whole_file(options.file);
    if (!content.ok()) {
        return std::move(content).error();
    }
    services::NewDocument document;
    document.kind = options.kind.value_or("");
    document.name = options.name.empty() ? std::filesystem::path(options.file).filename().string()
                                         : options.name;
    document.content = *std::move(content);
    document.media_type = media_type_of(options);
    document.document_id = *document_id;
    document.actor_id = kActor;
    return document;
}

// Why it was rejected, where PARSE_FACTS only failed.
Error with_rejection(engine::TenantCalls& calls, const Uuid& version, Error error) {
    auto row = services::get_document_version(calls, version);
    const Json* rejection = row.ok() ? row->find("rejection") : nullptr;
    if (rejection == nullptr || rejection->is_null()) {
        return error;
    }
    Error rejected =
        Error::of(ErrorCode::DOCUMENT_REJECTED,
                  fmt::format("the document is REJECTED: {}", text_member(*rejection, "message")));
    rejected.hint = fmt::format("Correct it and upload it again; see: jobforge docs show {}",
                                version.to_string());
    return rejected;
}

Status upload(const Context& context, const DocsOptions& options, engine::TenantCalls& calls,
              const services::NewDocument& document) {
    auto uploaded = services::upload_document(calls, document);
    if (!uploaded.ok()) {
        return std::move(uploaded).error();
    }
    const Json more =
        Json::object({{"document_id", uploaded->document_id.to_string()},
                      {"version", uploaded->version},
                      {"deduplicated", uploaded->deduplicated},
                      {"job_id", uploaded->job_id ? Json(uploaded->job_id->to_string()) : Json()}});
    print_id(context, "document_version_id", uploaded->document_version_id, more);
    remark(context, fmt::format("version {} of document {}{}", uploaded->version,
                                uploaded->document_id.to_string(),
                                uploaded->deduplicated ? ", these bytes were there already" : ""));
    if (!uploaded->job_id) {
        return ok_status();
    }
    auto waited = wait_if_wanted(context, options.wait, *uploaded->job_id);
    return waited.ok() ? std::move(waited)
                       : Status(with_rejection(calls, uploaded->document_version_id,
                                               std::move(waited).error()));
}

int run_upload(const Context& context, const DocsOptions& options) {
    const auto document = to_document(options);
    if (!document.ok()) {
        return context.fail(document.error());
    }
    return with_calls(context, [&](engine::TenantCalls& calls) {
        return upload(context, options, calls, *document);
    });
}

int run_list(const Context& context, const DocsOptions& options) {
    const auto before = optional_id_argument(kDocumentId, options.page.before);
    if (!before.ok()) {
        return context.fail(before.error());
    }
    return with_calls(context, [&](engine::TenantCalls& calls) {
        services::DocumentFilter filter;
        filter.limit = options.page.limit;
        filter.before = *before;
        filter.kind = options.kind;
        filter.status = options.status;
        return show_rows(context, services::list_document_versions(calls, filter),
                         {"document_version_id", "kind", "name", "version", "status", "fact_count",
                          "size_bytes", "uploaded_at"});
    });
}

int run_show(const Context& context, const DocsOptions& options) {
    return with_id(context, kDocumentId, options.id,
                   [&context](engine::TenantCalls& calls, const Uuid& id) {
                       return show_row(context, services::get_document_version(calls, id));
                   });
}

int run_content(const Context& context, const DocsOptions& options) {
    return with_id(context, kDocumentId, options.id,
                   [](engine::TenantCalls& calls, const Uuid& id) -> Status {
                       auto content = services::document_content(calls, id);
                       if (!content.ok()) {
                           return std::move(content).error();
                       }
                       print(*content);
                       return ok_status();
                   });
}

void add_upload(Command docs, Context& context) {
    auto options = std::make_shared<DocsOptions>();
    Command upload = add_verb(docs, context, options, "upload",
                              "Store a document; its facts are parsed by a job", &run_upload);
    upload.option("FILE", options->file, "The document (- is standard input)").required();
    upload.option("--kind", options->kind, "BOM, PCF, DUE_DILIGENCE, BATTERY_DATA or OTHER")
        .required();
    upload.option("--name", options->name, "Default: the file's name");
    upload.option("--document", options->document, "A new version of this document");
    upload.option("--media-type", options->media_type,
                  "application/json or text/csv; default: by the file's ending");
    add_wait_options(upload, options->wait, "its facts are stored, or it is rejected");
}

}  // namespace

void add_docs(Command program, Context& context) {
    Command docs = program.group("docs", "Documents that facts come from");
    add_upload(docs, context);

    auto list_options = std::make_shared<DocsOptions>();
    Command list = add_verb(docs, context, list_options, "list",
                            "Versions of documents, newest first", &run_list);
    list.option("--kind", list_options->kind, "Only this kind");
    list.option("--status", list_options->status, "UPLOADED, VALIDATED or REJECTED");
    add_page_options(list, list_options->page);

    auto show_options = std::make_shared<DocsOptions>();
    Command show = add_verb(docs, context, show_options, "show",
                            "One version: its status, and why it was rejected", &run_show);
    show.option("ID", show_options->id, "Document version id").required();

    auto content_options = std::make_shared<DocsOptions>();
    Command content = add_verb(docs, context, content_options, "content",
                               "The bytes as they were uploaded", &run_content);
    content.option("ID", content_options->id, "Document version id").required();
}

}  // namespace jobforge::cli
