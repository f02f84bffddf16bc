// jobforge facts list
#include "cli/commands/commands.h"
#include "cli/commands/use_case.h"
#include "services/passport/documents.h"

namespace jobforge::cli {

namespace {

struct FactsOptions {
    std::string document;
    std::optional<std::string> type;
    std::optional<std::string> prefix;
    PageOptions page;
};

int run_list(const Context& context, const FactsOptions& options) {
    const auto document = optional_id_argument(kDocumentId, options.document);
    const auto before = optional_id_argument(kFactId, options.page.before);
    if (!document.ok() || !before.ok()) {
        return context.fail(document.ok() ? before.error() : document.error());
    }
    return with_calls(context, [&](engine::TenantCalls& calls) {
        services::FactFilter filter;
        filter.limit = options.page.limit;
        filter.before = *before;
        filter.document_version_id = *document;
        filter.fact_type = options.type;
        filter.key_prefix = options.prefix;
        return show_rows(context, services::list_facts(calls, filter),
                         {"fact_id", "fact_type", "fact_key", "document_version_id", "created_at"});
    });
}

}  // namespace

void add_facts(Command program, Context& context) {
    Command facts = program.group("facts", "What documents say");
    auto options = std::make_shared<FactsOptions>();
    Command list = add_verb(facts, context, options, "list",
                            "Facts, newest first; --json shows what they say", &run_list);
    list.option("--document", options->document, "Only what this document version says");
    list.option("--type", options->type, "Only this type, e.g. Battery");
    list.option("--prefix", options->prefix, "Only keys that start like this");
    add_page_options(list, options->page);
}

}  // namespace jobforge::cli
