// Where a stream of job changes stands, as the id of its events: "100:105:101,103@1763300000000",
// a snapshot of Postgres (which transactions had ended) and the time of the look. Pure.
//
// Clients send it back (Last-Event-ID), so it is read as strictly as any input.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace jobforge::api {

struct StreamCursor {
    std::string snapshot;      // as Postgres writes and reads it
    std::int64_t unix_ms = 0;  // when it was taken

    [[nodiscard]] std::string text() const;
    // nullopt: not one that text() wrote, or that Postgres would refuse.
    [[nodiscard]] static std::optional<StreamCursor> parse(std::string_view text);
};

}  // namespace jobforge::api
