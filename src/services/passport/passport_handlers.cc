#include "services/passport/passport_handlers.h"

namespace jobforge::services {

void add_passport_handlers(Worker& worker, const SharedTools& tools) {
    worker.on("PARSE_FACTS", handle_parse_facts);
    worker.on("BUILD_SNAPSHOT", handle_build_snapshot);
    worker.on("RUN_RULE_TESTS", run_rule_tests_handler(tools));
    worker.on("COMPILE_PASSPORT",
              [tools](JobContext& context) { return handle_compile_passport(context, *tools); });
    if (tools->settings.signs) {
        worker.on("SIGN_PASSPORT",
                  [tools](JobContext& context) { return handle_sign_passport(context, *tools); });
    }
    worker.on("GENERATE_QR",
              [tools](JobContext& context) { return handle_generate_qr(context, *tools); });
    worker.on("DELIVER_WEBHOOK", deliver_webhook_handler(tools));
}

}  // namespace jobforge::services
