#include "api/job_streams.h"

#include <algorithm>
#include <utility>

#include "engine/database/tenant_calls.h"
#include "services/access/request_calls.h"
#include "statements/access.h"
#include "statements/jobs.h"

namespace jobforge::api {

namespace {

using engine::Repeat;
using namespace std::chrono_literals;

// A quiet stream gets an id now and then, so that its client can go on from there.
constexpr auto kQuiet = 1min;
// The thread rests this many times as long as it worked, but no longer than so many looks.
constexpr int kRest = 9;
constexpr int kLongestRest = 10;

bool passes(const JobFilter& filter, const Uuid& id, const std::string& type,
            const std::string& status) {
    return (!filter.job_id || *filter.job_id == id) && (!filter.type || *filter.type == type) &&
           (!filter.status || *filter.status == status);
}

std::vector<Uuid> ids_of(const std::map<Uuid, std::int64_t>& running) {
    std::vector<Uuid> ids;
    ids.reserve(running.size());
    for (const auto& [id, token] : running) {
        ids.push_back(id);
    }
    return ids;
}

}  // namespace

JobStreams::JobStreams(pg::Pool& pool, Logger log, JobStreamsOptions options)
    : pool_(pool), log_(std::move(log)), options_(options), thread_([this] { work(); }) {}

JobStreams::~JobStreams() {
    std::vector<ListenerPtr> open;
    {
        const std::lock_guard guard(mutex_);
        stopping_ = true;
        open = listeners_;
    }
    changed_.notify_all();
    thread_.join();
    for (const ListenerPtr& listener : open) {
        listener->stream->finish();
    }
}

Result<std::shared_ptr<http::EventStream>> JobStreams::open(services::Principal principal,
                                                            JobFilter filter, StreamCursor since) {
    auto listener = std::make_shared<Listener>();
    listener->stream = std::make_shared<http::EventStream>();
    listener->filter = std::move(filter);
    listener->since = std::move(since);
    {
        const std::lock_guard guard(mutex_);
        std::erase_if(listeners_, [](const ListenerPtr& other) { return other->stream->ended(); });
        if (count_of(principal, /*of_key=*/true) >= options_.streams_per_key) {
            return Error::of(ErrorCode::RATE_LIMITED, "this key has too many streams open");
        }
        if (count_of(principal, /*of_key=*/false) >= options_.streams_per_tenant) {
            return Error::of(ErrorCode::RATE_LIMITED, "your keys have too many streams open");
        }
        if (listeners_.size() >= options_.streams) {
            return Error::of(ErrorCode::QUEUE_UNAVAILABLE, "too many streams are open");
        }
        listener->principal = std::move(principal);
        listeners_.push_back(listener);
    }
    changed_.notify_all();
    return listener->stream;
}

std::size_t JobStreams::count_of(const services::Principal& principal, bool of_key) const {
    const auto same = [&](const ListenerPtr& other) {
        return of_key ? other->principal.key_id == principal.key_id
                      : other->principal.tenant_id == principal.tenant_id;
    };
    return static_cast<std::size_t>(std::count_if(listeners_.begin(), listeners_.end(), same));
}

std::size_t JobStreams::size() const {
    const std::lock_guard guard(mutex_);
    return static_cast<std::size_t>(
        std::count_if(listeners_.begin(), listeners_.end(),
                      [](const ListenerPtr& listener) { return !listener->stream->ended(); }));
}

std::map<Uuid, std::vector<JobStreams::ListenerPtr>> JobStreams::listeners() {
    std::map<Uuid, std::vector<ListenerPtr>> by_tenant;
    const std::lock_guard guard(mutex_);
    std::erase_if(listeners_,
                  [](const ListenerPtr& listener) { return listener->stream->ended(); });
    for (const ListenerPtr& listener : listeners_) {
        by_tenant[listener->principal.tenant_id].push_back(listener);
    }
    return by_tenant;
}

void JobStreams::work() {
    std::map<Uuid, Feed> feeds;
    std::unique_lock lock(mutex_);
    while (!stopping_) {
        if (listeners_.empty()) {
            changed_.wait(lock, [this] { return stopping_ || !listeners_.empty(); });
            continue;
        }
        lock.unlock();
        const auto began = Clock::now();
        const auto by_tenant = listeners();
        std::erase_if(feeds, [&](const auto& feed) { return !by_tenant.contains(feed.first); });
        for (const auto& [tenant, listening] : by_tenant) {
            look_for(feeds[tenant], listening);
        }
        const auto rest =
            std::clamp<Clock::duration>((Clock::now() - began) * kRest, options_.look_every,
                                        options_.look_every * kLongestRest);
        lock.lock();
        changed_.wait_for(lock, rest, [this] { return stopping_; });
    }
}

// A database that is away is not a reason to end anything: the next look goes on from the same
// cursor.
void JobStreams::look_for(Feed& feed, const std::vector<ListenerPtr>& listeners) {
    auto connection = pool_.acquire();
    if (!connection.ok()) {
        return;
    }
    const auto allowed = still_allowed(**connection, listeners);
    if (allowed.empty()) {
        return;
    }
    const services::Principal& principal = allowed.front()->principal;
    std::optional<Look> news;
    if (feed.cursor) {
        auto found = look(**connection, principal, *feed.cursor, ids_of(feed.running));
        if (!found.ok()) {
            return log_.warn("job changes could not be read",
                             {{"error", found.error().describe()}});
        }
        settle(feed, *found);
        feed.cursor = found->cursor;
        news = *std::move(found);
    }
    std::size_t caught_up = 0;
    for (const ListenerPtr& listener : allowed) {
        if (listener->caught_up) {
            tell(*listener, *news);
            continue;
        }
        if (++caught_up > options_.caught_up_per_look) {
            continue;  // it misses nothing: its own look begins where it was
        }
        // What it missed; a change of this moment may be sent twice.
        const auto missed = look(**connection, principal, listener->since, {});
        if (!missed.ok()) {
            return log_.warn("job changes could not be read",
                             {{"error", missed.error().describe()}});
        }
        if (!feed.cursor && !begin(feed, **connection, principal, *missed)) {
            return;
        }
        tell(*listener, *missed);
        listener->caught_up = true;
    }
}

// A worker that stops gives its jobs back as they were, and no index tells of that: so what runs
// when a feed begins is remembered. Asked after the look, whose cursor is the feed's.
bool JobStreams::begin(Feed& feed, pg::Connection& connection, const services::Principal& principal,
                       const Look& found) const {
    auto calls = engine::TenantCalls::within(
        connection, {services::enter_request_call(principal, services::Effect::reads)});
    const auto rows = calls.run_one(statements::jobs::kApiRunningJobs, {}, Repeat::always);
    if (!rows.ok()) {
        log_.warn("running jobs could not be read", {{"error", rows.error().describe()}});
        return false;
    }
    for (int row = 0; row < rows->size(); ++row) {
        feed.running[rows->uuid(row, 0)] = 0;
    }
    for (const Change& change : found.changes) {
        if (change.status == "RUNNING") {
            feed.running[change.job_id] = change.lease_token;
        }
    }
    feed.cursor = found.cursor;
    return true;
}

std::vector<JobStreams::ListenerPtr> JobStreams::still_allowed(
    pg::Connection& connection, const std::vector<ListenerPtr>& listeners) {
    std::vector<ListenerPtr> allowed;
    const auto now = Clock::now();
    for (const ListenerPtr& listener : listeners) {
        const services::Principal& principal = listener->principal;
        auto& checked = checked_[principal.key_id];
        if (now - checked >= options_.check_key_every) {
            auto calls = engine::TenantCalls::within(
                connection, {services::enter_request_call(principal, services::Effect::reads)});
            const auto entered =
                calls.run_one(statements::access::kApiStreamKey, {}, Repeat::always);
            if (!entered.ok() && !entered.error().connection_lost) {
                listener->stream->finish();
                continue;
            }
            checked = entered.ok() ? now : checked;
        }
        allowed.push_back(listener);
    }
    return allowed;
}

Result<JobStreams::Look> JobStreams::look(pg::Connection& connection,
                                          const services::Principal& principal,
                                          const StreamCursor& since,
                                          const std::vector<Uuid>& running) {
    auto calls = engine::TenantCalls::within(
        connection, {services::enter_request_call(principal, services::Effect::reads)});
    pg::Params params;
    params.text(since.snapshot)
        .int8(since.unix_ms)
        .uuid_array(running)
        .int4(options_.most_changes + 1);
    const auto rows =
        calls.run_one(statements::jobs::kApiJobChanges, std::move(params), Repeat::always);
    if (!rows.ok()) {
        return rows.error();
    }
    Look found;
    found.cursor = {std::string(rows->text(0, 0)), rows->integer(0, 1)};
    for (int row = 0; row < rows->size() && !rows->is_null(row, 2); ++row) {
        found.changes.push_back({rows->uuid(row, 2), std::string(rows->text(row, 3)),
                                 std::string(rows->text(row, 4)), rows->integer(row, 5),
                                 std::string(rows->json(row, 6))});
    }
    const std::chrono::milliseconds age(found.cursor.unix_ms - since.unix_ms);
    found.too_many = age > options_.oldest || age < -options_.oldest ||
                     found.changes.size() > static_cast<std::size_t>(options_.most_changes);
    return found;
}

void JobStreams::settle(Feed& feed, Look& found) {
    std::erase_if(found.changes, [&](const Change& change) {
        const auto known = feed.running.find(change.job_id);
        if (change.status != "RUNNING") {
            if (known != feed.running.end()) {
                feed.running.erase(known);
            }
            return false;
        }
        const bool same = known != feed.running.end() && known->second == change.lease_token;
        feed.running[change.job_id] = change.lease_token;
        return same;
    });
}

void JobStreams::tell(Listener& listener, const Look& found) const {
    const std::string id = found.cursor.text();
    std::vector<const Change*> wanted;
    for (const Change& change : found.changes) {
        if (passes(listener.filter, change.job_id, change.type, change.status)) {
            wanted.push_back(&change);
        }
    }
    std::string events;
    if (found.too_many) {
        events =
            http::sse_event("reset", id, R"({"reason":"too much has changed: load it again"})");
    } else {
        // The id comes with the last one: a client that lost the connection in between gets all
        // again.
        for (const Change* change : wanted) {
            events += http::sse_event("job", change == wanted.back() ? id : "", change->json);
        }
        if (events.empty() && Clock::now() - listener.said_at >= kQuiet) {
            events = "id: " + id + "\n\n";
        }
    }
    if (!events.empty()) {
        listener.said_at = Clock::now();
        (void)listener.stream->send(events);  // a lost client is forgotten at the next look
    }
}

}  // namespace jobforge::api
