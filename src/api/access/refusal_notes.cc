#include "api/access/refusal_notes.h"

#include <utility>

#include "services/access/request_calls.h"

namespace jobforge::api {

namespace {

using Clock = std::chrono::steady_clock;

constexpr RateLimitOptions kAudited{.enabled = true, .requests_per_second = 1, .burst = 5};

}  // namespace

RefusalNotes::RefusalNotes(pg::Pool& pool, Logger log, Exists exists, RefusalNotesOptions options)
    : pool_(pool),
      log_(std::move(log)),
      exists_(std::move(exists)),
      options_(options),
      audited_(kAudited),
      told_at_(Clock::now() - options.log_every),
      thread_([this] { work(); }) {}

RefusalNotes::~RefusalNotes() {
    {
        const std::lock_guard guard(mutex_);
        stopping_ = true;
    }
    changed_.notify_one();
    thread_.join();
}

void RefusalNotes::add(RefusedLogIn refused) {
    {
        const std::lock_guard guard(mutex_);
        if (waiting_.size() >= options_.most_waiting) {
            ++dropped_;
            return;
        }
        waiting_.push_back(std::move(refused));
    }
    changed_.notify_one();
}

void RefusalNotes::work() {
    std::unique_lock lock(mutex_);
    for (;;) {
        const auto news = [this] { return stopping_ || !waiting_.empty(); };
        if (refused_ == 0) {
            changed_.wait(lock, news);
        } else {
            changed_.wait_until(lock, told_at_ + options_.log_every, news);
        }
        if (waiting_.empty() && stopping_) {
            told_at_ -= options_.log_every;  // the rest is told now
            return tell();
        }
        const std::deque<RefusedLogIn> taken = std::exchange(waiting_, {});
        refused_ += std::exchange(dropped_, 0);
        lock.unlock();
        for (const RefusedLogIn& refused : taken) {
            count(refused);
            write(refused);
        }
        tell();
        lock.lock();
    }
}

void RefusalNotes::count(const RefusedLogIn& refused) {
    ++refused_;
    address_ = refused.address;
}

// One line for the first, and then one a while with their number.
void RefusalNotes::tell() {
    const auto now = Clock::now();
    if (refused_ == 0 || now - told_at_ < options_.log_every) {
        return;
    }
    log_.warn("log-ins were refused",
              {{"count", std::exchange(refused_, 0)}, {"last_address", address_}});
    told_at_ = now;
}

void RefusalNotes::write(const RefusedLogIn& refused) {
    if (!exists_(refused.key_id) || !audited_.take(refused.key_id, Clock::now()).allowed) {
        return;
    }
    auto connection = pool_.acquire();
    if (!connection.ok()) {
        return;
    }
    const engine::TenantCall note =
        services::key_refused_call(refused.key_id, refused.route, refused.reason);
    if (auto noted = (*connection)->exec(note.statement, note.params); !noted.ok()) {
        log_.warn("a refused key could not be noted",
                  {{"key_id", refused.key_id}, {"error", noted.error().describe()}});
    }
}

}  // namespace jobforge::api
