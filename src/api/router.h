// Which route a request means. Pure: a table and a walk over segments.
//
// A literal segment is preferred to a named one (/v1/jobs/stats before /v1/jobs/{job_id}), whatever
// the order of the table. Names take any non-empty segment; how it may be spelled is
// path_names.h. Threads: immutable once built, any.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/route.h"

namespace jobforge::api {

// The values of a pattern's names, in its order.
using PathParameters = std::vector<std::pair<std::string_view, std::string>>;

struct RouteMatch {
    const Route* route = nullptr;  // nullptr: none
    PathParameters parameters;
    std::string allow;  // of a path that exists for other methods only: "GET, HEAD, POST"
};

class Router final {
public:
    // The routes must outlive the router. Two routes of the same method and shape are a mistake of
    // the program: std::logic_error.
    explicit Router(std::span<const std::span<const Route>> tables);

    // `path` as decoded, starting with a slash. HEAD finds GET's.
    [[nodiscard]] RouteMatch match(std::string_view method, std::string_view path) const;
    // In the order of their patterns, for documents and tests.
    [[nodiscard]] std::vector<const Route*> routes() const;

private:
    struct Entry {
        const Route* route;
        std::vector<std::string_view> segments;
    };
    std::vector<Entry> entries_;  // more literal ones first
};

}  // namespace jobforge::api
