// jobforge audit accept-head --reason TEXT
#include <fmt/format.h>

#include "cli/commands/audit_commands.h"
#include "cli/commands/audit_evidence.h"
#include "cli/commands/use_case.h"
#include "cli/serve/passport_service.h"
#include "cli/view/output.h"
#include "services/audit/accept_head.h"

namespace jobforge::cli {

namespace {

struct AcceptOptions {
    std::string reason;
};

int run_accept(const Context& context, const AcceptOptions& options) {
    auto signer = log_signer(context);
    if (!signer.ok()) {
        return context.fail(signer.error());
    }
    return with_trail(context, [&](pg::Connection& connection, const Uuid& tenant) -> Status {
        const auto head = services::accept_head(
            connection, {.tenant = tenant, .reason = options.reason, .actor = kActor}, *signer);
        if (!head.ok()) {
            return head.error();
        }
        if (context.json) {
            print_line(
                Json::object({{"checkpoint", *head}, {"kept_in", signer->kept->file_of(tenant)}})
                    .dump());
        } else {
            print(*head);
            remark(context, fmt::format("accepted, and kept in {}. Workers that keep their heads "
                                        "elsewhere need the same there.",
                                        signer->kept->file_of(tenant)));
        }
        return ok_status();
    });
}

}  // namespace

void add_audit_accept(Command audit, Context& context) {
    auto options = std::make_shared<AcceptOptions>();
    Command command = add_verb(audit, context, options, "accept-head",
                               "Let a log go on that does not fit the head kept here: after a "
                               "restored backup",
                               &run_accept);
    command.option("--reason", options->reason, "Why, for the audit trail").required();
}

}  // namespace jobforge::cli
