// A libcurl handle with the connection it keeps. Internal to the HTTP transport.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include <curl/curl.h>

namespace jobforge::connect {

// One request at a time. The multi handle is there because its waiting can be ended from another
// thread (curl_multi_wakeup): a plain curl_easy_perform looks at a stop request once a second.
class HttpSlot final {
public:
    HttpSlot();
    HttpSlot(const HttpSlot&) = delete;
    HttpSlot& operator=(const HttpSlot&) = delete;
    ~HttpSlot();

    // False when libcurl had no memory for it.
    [[nodiscard]] bool ready() const noexcept { return easy_ != nullptr && multi_ != nullptr; }
    [[nodiscard]] CURL* easy() const noexcept { return easy_; }
    [[nodiscard]] CURLM* multi() const noexcept { return multi_; }

    std::string origin;  // where its open connection leads

private:
    CURLM* multi_;
    CURL* easy_;
};

// The slots that are free at the moment. Any thread.
class HttpSlots final {
public:
    explicit HttpSlots(std::size_t max_idle) : max_idle_(max_idle) {}

    // The slot that was connected to `origin` most recently, else a new one: taking another
    // origin's would close a connection that will be wanted.
    [[nodiscard]] std::unique_ptr<HttpSlot> take(std::string_view origin);
    // Back for the next one; beyond `max_idle` the slot that waited longest is closed.
    void give_back(std::unique_ptr<HttpSlot> slot);

private:
    const std::size_t max_idle_;
    std::mutex mutex_;
    std::vector<std::unique_ptr<HttpSlot>> idle_;  // under mutex_, longest waiting first
};

}  // namespace jobforge::connect
