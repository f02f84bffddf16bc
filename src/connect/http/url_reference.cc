#include "connect/http/url_reference.h"

#include <algorithm>
#include <vector>

namespace jobforge::connect {

namespace {

bool is_letter(char c) noexcept {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

bool has_scheme(std::string_view reference) {
    const std::size_t colon = reference.find(':');
    return colon != std::string_view::npos && colon > 0 && is_letter(reference.front()) &&
           std::all_of(reference.begin(), reference.begin() + static_cast<std::ptrdiff_t>(colon),
                       [](char c) {
                           return is_letter(c) || (c >= '0' && c <= '9') || c == '+' || c == '-' ||
                                  c == '.';
                       });
}

// RFC 3986, 5.2.4: "/a/b/../c/./d" is "/a/c/d". `path` starts with a slash.
std::string without_dots(std::string_view path) {
    std::vector<std::string_view> kept;
    bool folder = false;  // the last segment was "." or "..", which leaves a slash at the end
    while (!path.empty()) {
        path.remove_prefix(1);
        const std::size_t end = std::min(path.find('/'), path.size());
        const std::string_view segment = path.substr(0, end);
        path.remove_prefix(end);
        folder = segment == "." || segment == "..";
        if (segment == ".." && !kept.empty()) {
            kept.pop_back();
        }
        if (!folder) {
            kept.push_back(segment);
        }
    }
    std::string out;
    for (const std::string_view segment : kept) {
        out.append("/").append(segment);
    }
    return out.empty() || folder ? out + "/" : out;
}

}  // namespace

std::string resolve_reference(std::string_view base, std::string_view reference) {
    reference = reference.substr(0, reference.find('#'));
    if (has_scheme(reference)) {
        return std::string(reference);
    }
    const std::size_t host = base.find("://") + 3;
    if (reference.starts_with("//")) {
        return std::string(base.substr(0, host - 2)).append(reference);
    }
    const std::size_t path = std::min(base.find('/', host), base.size());
    const std::string_view origin = base.substr(0, path);
    const std::string_view base_path = base.substr(path, base.find('?', path) - path);
    if (reference.empty()) {
        return std::string(base);
    }
    const std::size_t mark = std::min(reference.find('?'), reference.size());
    const std::string_view query = reference.substr(mark);
    const std::string_view relative = reference.substr(0, mark);
    std::string target(base_path);
    if (relative.starts_with('/')) {
        target = relative;
    } else if (!relative.empty()) {
        target = std::string(base_path.substr(0, base_path.rfind('/') + 1)).append(relative);
    }
    return std::string(origin).append(without_dots(target)).append(query);
}

}  // namespace jobforge::connect
