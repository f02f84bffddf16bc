// The connectors at work: a worker that runs them, secrets, and servers on real sockets.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>

#include <fmt/format.h>

#include "connect/http/http_request.h"
#include "handler_world.h"
#include "services/connectors/connector_handlers.h"
#include "tcp_server.h"
#include "webhook_world.h"

namespace jobforge::test {

inline constexpr char kHttpRequest[] = "connector.http.request";
inline constexpr char kWebhookDeliver[] = "connector.webhook.deliver";
// What no log, error or result may hold.
inline constexpr char kPlanted[] = "planted-Secret/42+value";

// Every line of every level.
class KeptLog final : public LogSink {
public:
    void write(const LogRecord& record) noexcept override {
        const std::lock_guard lock(mutex_);
        text_ += record.message;
        for (const auto& [name, value] : record.fields) {
            text_ += fmt::format(" {}={}", name, value.dump());
        }
        text_ += "\n";
    }
    [[nodiscard]] bool enabled(LogLevel /*level*/) const noexcept override { return true; }
    [[nodiscard]] std::string text() const {
        const std::lock_guard lock(mutex_);
        return text_;
    }

private:
    mutable std::mutex mutex_;
    std::string text_;  // under mutex_
};

class ConnectorWorld : public HandlerWorld {
protected:
    ConnectorWorld() {
        options_.slots = 16;
        options_.log = Logger(log_);
        secrets_["JOBFORGE_SECRET_PLANTED"] = kPlanted;
        connectors_.database_url = settings_.database_url;
        connectors_.http = settings_.http;
        connectors_.secrets = std::make_shared<services::SecretStore>(
            [this](std::string_view name) -> std::optional<std::string> {
                const auto found = secrets_.find(std::string(name));
                return found == secrets_.end() ? std::nullopt : std::optional(found->second);
            },
            "");
    }
    ~ConnectorWorld() override { stop(); }
    void add_handlers(Worker& worker) override {
        services::add_connector_handlers(worker, connectors_);
    }

    void configure(std::string_view connector, std::string_view config) {
        run(fmt::format("select jobforge.set_connector_config('{}', '{}')", connector, config));
    }
    // A member of a finished job's result, as text.
    std::string result(const std::string& job, std::string_view member) {
        return one(fmt::format("select result ->> '{}' from jobforge.all_jobs where job_id = '{}'",
                               member, job));
    }
    std::string job(const std::string& id, const std::string& expression) {
        return one(
            fmt::format("select {} from jobforge.all_jobs where job_id = '{}'", expression, id));
    }
    // Everything that the database and the log keep about jobs.
    std::string kept() {
        return log_->text() +
               one("select string_agg(row_to_json(j)::text, e'\\n') from jobforge.all_jobs j") +
               one("select string_agg(row_to_json(a)::text, e'\\n') from jobforge.job_attempts a") +
               one("select string_agg(convert_from(content, 'UTF8'), e'\\n') from "
                   "jobforge.artifacts");
    }

    std::map<std::string, std::string> secrets_;
    services::ConnectorSettings connectors_;
    std::shared_ptr<KeptLog> log_ = std::make_shared<KeptLog>();
};

// Answers every request with the request itself as its body.
inline void echoes(TcpPeer& peer) {
    for (;;) {
        const std::string request = peer.read_request();
        if (request.empty()) {
            return;
        }
        const std::string answer = http_answer(
            "200 OK", "Content-Type: text/plain\r\nSet-Cookie: session=1\r\nX-Key: k\r\n", request);
        const bool head = request.starts_with("HEAD ");
        if (!peer.write(head ? answer.substr(0, answer.size() - request.size()) : answer)) {
            return;
        }
    }
}

}  // namespace jobforge::test
