// jobforge products create|list
#include "cli/commands/commands.h"
#include "cli/commands/use_case.h"
#include "services/passport/passports.h"

namespace jobforge::cli {

namespace {

struct ProductOptions {
    std::string sku;
    std::string name;
    std::string id;
    PageOptions page;
};

constexpr IdKind kProductId{"product id", "jobforge products list"};

int run_create(const Context& context, const ProductOptions& options) {
    const auto id = optional_id_argument(kProductId, options.id);
    if (!id.ok()) {
        return context.fail(id.error());
    }
    return with_calls(context, [&](engine::TenantCalls& calls) -> Status {
        auto made = services::create_product(calls, {.sku = options.sku,
                                                     .name = options.name,
                                                     .battery_product_id = *id,
                                                     .actor_id = kActor});
        if (!made.ok()) {
            return std::move(made).error();
        }
        print_id(context, "battery_product_id", *made);
        return ok_status();
    });
}

int run_list(const Context& context, const ProductOptions& options) {
    const auto before = optional_id_argument(kProductId, options.page.before);
    if (!before.ok()) {
        return context.fail(before.error());
    }
    return with_calls(context, [&](engine::TenantCalls& calls) {
        return show_rows(
            context,
            services::list_products(calls, {.limit = options.page.limit, .before = *before}),
            {"battery_product_id", "sku", "name", "created_at", "created_by"});
    });
}

}  // namespace

void add_products(Command program, Context& context) {
    Command products = program.group("products", "What passports are about");
    auto created = std::make_shared<ProductOptions>();
    Command create =
        add_verb(products, context, created, "create",
                 "A product; the existing one if sku and name are the same", &run_create);
    create.option("--sku", created->sku, "Unique for the tenant").required();
    create.option("--name", created->name, "For people").required();
    create.option("--id", created->id, "An id of your own");
    auto listed = std::make_shared<ProductOptions>();
    Command list = add_verb(products, context, listed, "list", "Newest first", &run_list);
    add_page_options(list, listed->page);
}

}  // namespace jobforge::cli
