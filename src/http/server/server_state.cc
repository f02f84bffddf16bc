#include "http/server/server_state.h"

#include <vector>

#include "http/server/http_session.h"

namespace jobforge::http {

void SessionRegistry::add(const std::shared_ptr<Session>& session) {
    const std::lock_guard guard(mutex_);
    sessions_.emplace(session.get(), session);
}

void SessionRegistry::remove(const Session* session) {
    const std::lock_guard guard(mutex_);
    sessions_.erase(session);
    if (sessions_.empty()) {
        emptied_.notify_all();
    }
}

std::size_t SessionRegistry::size() const {
    const std::lock_guard guard(mutex_);
    return sessions_.size();
}

void SessionRegistry::for_each(const std::function<void(Session&)>& visit) {
    std::vector<std::shared_ptr<Session>> alive;
    {
        const std::lock_guard guard(mutex_);
        for (const auto& [session, weak] : sessions_) {
            if (auto strong = weak.lock()) {
                alive.push_back(std::move(strong));
            }
        }
    }
    for (const auto& session : alive) {
        visit(*session);
    }
}

bool SessionRegistry::wait_until_empty(std::chrono::steady_clock::time_point deadline) {
    std::unique_lock lock(mutex_);
    return emptied_.wait_until(lock, deadline, [this] { return sessions_.empty(); });
}

}  // namespace jobforge::http
