// jobforge policies add|list|remove
#include <fmt/format.h>

#include "cli/commands/commands.h"
#include "cli/commands/use_case.h"
#include "cli/offline/key_argument.h"
#include "cli/view/output.h"
#include "services/access/access_admin.h"

namespace jobforge::cli {

namespace {

struct PolicyOptions {
    services::NewPolicy policy;
    std::string id;
};

constexpr IdKind kPolicyId{"policy id", "jobforge policies list"};

int run_add(const Context& context, const PolicyOptions& options) {
    services::NewPolicy policy = options.policy;
    policy.actor_id = kActor;
    if (policy.key_id) {
        auto key = key_argument(*policy.key_id);
        if (!key.ok()) {
            return context.fail(key.error());
        }
        policy.key_id = *std::move(key);
    }
    return with_calls(context, [&](engine::TenantCalls& calls) -> Status {
        const auto row = services::add_access_policy(calls, policy);
        if (!row.ok()) {
            return row.error();
        }
        print_line(context.json ? row->dump() : text_member(*row, "policy_id"));
        return ok_status();
    });
}

int run_list(const Context& context, const PolicyOptions& /*options*/) {
    return with_calls(context, [&context](engine::TenantCalls& calls) {
        return show_rows(context, services::list_access_policies(calls),
                         {"policy_id", "priority", "effect", "method", "path_pattern", "role",
                          "key_id", "note"});
    });
}

int run_remove(const Context& context, const PolicyOptions& options) {
    return with_id(context, kPolicyId, options.id,
                   [&context](engine::TenantCalls& calls, const Uuid& id) -> Status {
                       if (auto done = services::remove_access_policy(calls, id, kActor);
                           !done.ok()) {
                           return done;
                       }
                       print_id(context, "policy_id", id);
                       return ok_status();
                   });
}

std::shared_ptr<PolicyOptions> fresh() {
    return std::make_shared<PolicyOptions>();
}

}  // namespace

void add_policies(Command program, Context& context) {
    Command policies =
        program.group("policies", "What roles may not do after all, by path and priority");

    auto added = fresh();
    Command add = add_verb(policies, context, added, "add", "A policy; prints its id", &run_add);
    add.option("EFFECT", added->policy.effect, "allow or deny").required();
    add.option("PATH", added->policy.path_pattern,
               "Such as '/v1/jobs/*/cancel'; * is one segment, ** the rest")
        .required();
    add.option("--priority", added->policy.priority,
               "The highest that matches decides; deny wins a tie")
        .in_range(-1'000'000, 1'000'000)
        .shows_default();
    add.option("--method", added->policy.method, "GET (HEAD too), POST, PUT, PATCH, DELETE or *")
        .shows_default();
    add.option("--role", added->policy.role, "Only for keys with this role");
    add.option("--key", added->policy.key_id, "Only for this key, and what it is rotated to");
    add.option("--note", added->policy.note, "For people");

    add_verb(policies, context, fresh(), "list", "Policies, in the order in which they decide",
             &run_list);

    auto removed = fresh();
    add_verb(policies, context, removed, "remove", "Take a policy away", &run_remove)
        .option("ID", removed->id, "Policy id")
        .required();
}

}  // namespace jobforge::cli
