#include "connect/http/governed.h"

#include <utility>

#include "connect/http/classify.h"

namespace jobforge::connect {

WallClock system_wall_clock() {
    return
        [] { return std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now()); };
}

Governed::Governed(Transport& inner, Governor& governor, WallClock clock)
    : inner_(inner), governor_(governor), clock_(std::move(clock)) {}

Result<HttpResponse> Governed::send(const HttpRequest& request, const std::stop_token& stop) {
    const auto verdict = governor_.enter();
    if (!verdict.ok()) {
        return verdict.error();
    }
    if (verdict->kind != Verdict::Kind::go) {
        return refused(*verdict);
    }
    auto response = inner_.send(request, stop);
    const Classified result = classify(response, clock_());
    const bool stopped = !response.ok() && stop.stop_requested();
    if (result.peer != Classified::Peer::unknown && !stopped) {
        const bool healthy = result.peer == Classified::Peer::healthy;
        (void)governor_.report(verdict->permit, {healthy, result.retry_after});
    }
    return response;
}

}  // namespace jobforge::connect
