#include "connect/http/http_slot.h"

#include <algorithm>

namespace jobforge::connect {

HttpSlot::HttpSlot() : multi_(curl_multi_init()), easy_(curl_easy_init()) {
    if (multi_ != nullptr) {
        curl_multi_setopt(multi_, CURLMOPT_MAXCONNECTS, 1L);
    }
}

HttpSlot::~HttpSlot() {
    curl_easy_cleanup(easy_);  // both take a null pointer
    curl_multi_cleanup(multi_);
}

std::unique_ptr<HttpSlot> HttpSlots::take(std::string_view origin) {
    {
        const std::lock_guard lock(mutex_);
        const auto found = std::find_if(idle_.rbegin(), idle_.rend(),
                                        [&](const auto& slot) { return slot->origin == origin; });
        if (found != idle_.rend()) {
            std::unique_ptr<HttpSlot> slot = std::move(*found);
            idle_.erase(std::next(found).base());
            return slot;
        }
    }
    auto slot = std::make_unique<HttpSlot>();
    slot->origin = origin;
    return slot;
}

void HttpSlots::give_back(std::unique_ptr<HttpSlot> slot) {
    std::unique_ptr<HttpSlot> oldest;  // closed after the lock is given up: it may wait for TLS
    const std::lock_guard lock(mutex_);
    idle_.push_back(std::move(slot));
    if (idle_.size() > max_idle_) {
        oldest = std::move(idle_.front());
        idle_.erase(idle_.begin());
    }
}

}  // namespace jobforge::connect
