#include "api/router.h"

#include <algorithm>
#include <set>
#include <stdexcept>

namespace jobforge::api {

namespace {

std::vector<std::string_view> segments_of(std::string_view path) {
    std::vector<std::string_view> segments;
    if (path.starts_with('/')) {
        path.remove_prefix(1);
    }
    while (true) {
        const std::size_t slash = path.find('/');
        segments.push_back(path.substr(0, slash));
        if (slash == std::string_view::npos) {
            return segments;
        }
        path.remove_prefix(slash + 1);
    }
}

bool is_name(std::string_view segment) {
    return segment.starts_with('{') && segment.ends_with('}');
}

bool fits(const std::vector<std::string_view>& pattern, const std::vector<std::string_view>& path) {
    return std::equal(pattern.begin(), pattern.end(), path.begin(), path.end(),
                      [](std::string_view wanted, std::string_view given) {
                          return is_name(wanted) ? !given.empty() : wanted == given;
                      });
}

// Position by position: a literal sorts before a name, so that the first match is the best one.
bool more_literal(const std::vector<std::string_view>& a, const std::vector<std::string_view>& b) {
    return std::lexicographical_compare(
        a.begin(), a.end(), b.begin(), b.end(), [](std::string_view x, std::string_view y) {
            return is_name(x) != is_name(y) ? is_name(y) : !is_name(x) && x < y;
        });
}

PathParameters parameters_of(const std::vector<std::string_view>& pattern,
                             const std::vector<std::string_view>& path) {
    PathParameters parameters;
    for (std::size_t at = 0; at < pattern.size(); ++at) {
        if (is_name(pattern[at])) {
            parameters.emplace_back(pattern[at].substr(1, pattern[at].size() - 2),
                                    std::string(path[at]));
        }
    }
    return parameters;
}

std::string allow_of(const std::set<std::string_view>& methods) {
    std::string allow;
    for (const std::string_view method : methods) {
        allow += allow.empty() ? "" : ", ";
        allow += method;
        allow += method == "GET" ? ", HEAD" : "";
    }
    return allow;
}

}  // namespace

Router::Router(std::span<const std::span<const Route>> tables) {
    for (const std::span<const Route> table : tables) {
        for (const Route& route : table) {
            entries_.push_back(Entry{&route, segments_of(route.pattern)});
        }
    }
    std::stable_sort(entries_.begin(), entries_.end(), [](const Entry& a, const Entry& b) {
        return more_literal(a.segments, b.segments);
    });
    for (std::size_t at = 1; at < entries_.size(); ++at) {
        for (std::size_t before = at; before-- > 0;) {
            if (more_literal(entries_[before].segments, entries_[at].segments)) {
                break;
            }
            if (entries_[before].route->method == entries_[at].route->method) {
                throw std::logic_error("two routes for " + std::string(entries_[at].route->method) +
                                       " " + std::string(entries_[at].route->pattern));
            }
        }
    }
}

RouteMatch Router::match(std::string_view method, std::string_view path) const {
    const std::string_view wanted = method == "HEAD" ? "GET" : method;
    const auto segments = segments_of(path);
    RouteMatch match;
    std::set<std::string_view> others;
    for (const Entry& entry : entries_) {
        if (!fits(entry.segments, segments)) {
            continue;
        }
        if (entry.route->method == wanted) {
            match.route = entry.route;
            match.parameters = parameters_of(entry.segments, segments);
            return match;
        }
        others.insert(entry.route->method);
    }
    match.allow = allow_of(others);
    return match;
}

std::vector<const Route*> Router::routes() const {
    std::vector<const Route*> routes;
    for (const Entry& entry : entries_) {
        routes.push_back(entry.route);
    }
    return routes;
}

}  // namespace jobforge::api
