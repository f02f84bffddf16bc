// A marketplace of old coins for the demonstration, for `jobforge marketplace` and for tests: a
// real server on loopback with an API like those of real ones, with pages, a rate limit of its own,
// and failures on demand.
//
//     GET /api/search?q=WORDS&page=N
//     {"total": 43, "results": [{"id", "title", "price": {"amount", "currency"}, "kind",
//      "sold_at", "link"}], "next": "/api/search?q=WORDS&page=N+1" or null}
//
// Beyond its limit it answers 429 with Retry-After.
#pragma once

#include <chrono>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include <jobforge/error.h>
#include <jobforge/json.h>

#include "cli/demo/demo_server.h"

namespace jobforge::cli {

struct MarketplaceOptions {
    std::vector<Json> listings = {};  // empty: the coins of the demonstration
    int port = 0;                     // 0: a free one
    std::size_t page_size = 20;
    // Requests that it answers in any minute; 0: any number.
    std::size_t limit_per_minute = 0;
};

// Any thread.
class DemoMarketplace final {
public:
    using Clock = std::chrono::steady_clock;

    // INTERNAL_ERROR if no port is free.
    [[nodiscard]] static Result<std::unique_ptr<DemoMarketplace>> start(MarketplaceOptions options);

    // What a source's base_url and config are for this marketplace.
    [[nodiscard]] std::string base_url() const { return server_->url("/api"); }
    [[nodiscard]] static Json source_config();

    // The next `count` requests are answered with this status ("503 Service Unavailable") and these
    // headers; a negative count: all until the next call.
    void fail(int count, const std::string& status, const std::string& headers = {});
    void recover() { fail(0, ""); }

    // When requests came, in order; those that got 429 or a failure too.
    [[nodiscard]] std::vector<Clock::time_point> arrivals() const;
    // How many were refused because of the limit.
    [[nodiscard]] int refused() const;

private:
    explicit DemoMarketplace(MarketplaceOptions options);
    [[nodiscard]] std::string answer(const std::string& request);
    [[nodiscard]] std::string search(std::string_view target) const;

    const MarketplaceOptions options_;
    mutable std::mutex mutex_;
    std::vector<Clock::time_point> arrivals_;  // under mutex_
    int refused_ = 0;                          // under mutex_
    int failures_left_ = 0;                    // under mutex_; negative: for ever
    std::string failure_;                      // under mutex_
    std::unique_ptr<DemoServer> server_;       // last: its thread uses the others
};

// Forty-three listings: cents of 1909 that were sold and are asked for, a copy, another coin, one
// absurd price and one without any.
[[nodiscard]] std::vector<Json> demo_listings();

}  // namespace jobforge::cli
