// Webhooks on their way from an audit event to a receiver on a real socket.
#pragma once

#include <string>
#include <vector>

#include <fmt/format.h>

#include "handler_world.h"
#include "services/webhooks/webhooks.h"
#include "tcp_server.h"

namespace jobforge::test {

class WebhookWorld : public HandlerWorld {
protected:
    WebhookWorld() {
        settings_.webhook_timeout = std::chrono::seconds(1);
        options_.slots = 16;
        hold("PARSE_FACTS");  // an upload is one event, and nothing follows
    }
    // An endpoint that gets DOCUMENT_UPLOADED.
    services::CreatedEndpoint endpoint(const std::string& url) {
        auto created = must(services::add_webhook_endpoint(*calls_, *settings_.secrets, tenant_,
                                                           {.url = url}, false));
        must(services::subscribe_webhook(*calls_, created.webhook_endpoint_id,
                                         {"DOCUMENT_UPLOADED"}));
        return created;
    }
    // The event; its document version.
    std::string happen() { return upload("BOM", fmt::format(R"({{"n":{}}})", ++events_)); }
    // Of the endpoint's latest delivery.
    std::string delivery(const services::CreatedEndpoint& to, const std::string& expression) {
        return one(
            fmt::format("select {} from jobforge.webhook_deliveries where "
                        "webhook_endpoint_id = '{}' order by webhook_delivery_id desc limit "
                        "1",
                        expression, to.webhook_endpoint_id.to_string()));
    }
    std::string job_of(const services::CreatedEndpoint& to) { return delivery(to, "job_id"); }
    // A new endpoint, one event, its end: the delivery as "status attempts http_status".
    static constexpr char kState[] =
        "format('%s %s %s', status, attempts, coalesce(http_status::text, '-'))";
    void make_due(const std::string& job) {
        run(fmt::format("select jobforge.reschedule_job('{}')", job));
    }
    std::string job(const std::string& id, const std::string& expression) {
        return one(
            fmt::format("select {} from jobforge.all_jobs where job_id = '{}'", expression, id));
    }

private:
    int events_ = 0;
};

// An answer with this status line, further headers ("A: b\r\n") and body.
inline std::string http_answer(std::string_view status, std::string_view headers = "",
                               std::string_view body = "") {
    return fmt::format("HTTP/1.1 {}\r\nContent-Length: {}\r\n{}\r\n{}", status, body.size(),
                       headers, body);
}

}  // namespace jobforge::test
