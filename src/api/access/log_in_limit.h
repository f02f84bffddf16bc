// How often an address may fail to log in, with BPC_RATE_LIMIT_ENABLED.
//
// A log-in that fails takes a token of its address; one that succeeds takes none. An address
// without tokens is still tried, but only one such log-in at a time on this node, and if it fails
// the answer is 429: whether the key was wrong is not told. So the database is asked by at most one
// connection for all of them, and an attacker who shares an address with a good key (a proxy, a
// translated network) does not lock it out. A key that this node knows already is not asked about
// here at all.
//
// Threads: any.
#pragma once

#include <mutex>
#include <string>

#include "api/access/rate_limit.h"

namespace jobforge::api {

class LogInLimit final {
public:
    using TimePoint = RateLimit::TimePoint;

    explicit LogInLimit(RateLimitOptions options) : limit_(options) {}

    // One try to log in.
    class Attempt final {
    public:
        // False: answer 429 with rate(), without asking the database.
        [[nodiscard]] bool is_heard() const noexcept {
            return rate_.allowed || one_at_a_time_.owns_lock();
        }
        // Whether a refusal may be told as such; else 429 with rate().
        [[nodiscard]] bool is_within_rate() const noexcept { return rate_.allowed; }
        [[nodiscard]] const RateDecision& rate() const noexcept { return rate_; }

    private:
        friend class LogInLimit;
        std::string address_;
        RateDecision rate_;
        std::unique_lock<std::mutex> one_at_a_time_;
    };

    [[nodiscard]] Attempt begin(std::string address, TimePoint now);
    // It did not fail: its token goes back.
    void succeeded(const Attempt& attempt, TimePoint now);

private:
    RateLimit limit_;
    std::mutex without_token_;
};

}  // namespace jobforge::api
