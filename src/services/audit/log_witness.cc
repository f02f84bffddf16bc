#include "services/audit/log_witness.h"

#include <fmt/format.h>

namespace jobforge::services {

namespace {

constexpr std::size_t kReadAnswerBytes = 4096;

}  // namespace

LogWitness log_witness(std::shared_ptr<connect::Transport> http, std::string url,
                       std::chrono::milliseconds timeout) {
    return [http = std::move(http), url = std::move(url), timeout](
               const std::string& head, const std::stop_token& stop) -> Status {
        connect::HttpRequest request;
        request.method = "POST";
        request.url = url;
        request.headers = {{"Content-Type", "text/plain; charset=utf-8"}};
        request.body = head;
        request.timeout = timeout;
        request.max_response_bytes = kReadAnswerBytes;
        const auto answer = http->send(request, stop);
        if (!answer.ok()) {
            return answer.error();
        }
        if (answer->status < 200 || answer->status > 299) {
            return Error::of(ErrorCode::CONNECTION_FAILED,
                             fmt::format("the witness answered {}", answer->status));
        }
        return ok_status();
    };
}

}  // namespace jobforge::services
