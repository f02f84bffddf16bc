#include "services/prices/source_url.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "connect/guard/url_check.h"
#include "values/unicode.h"

namespace jobforge::services {

namespace {

struct Placeholder {
    std::string_view name;
    std::string (*value)(const Query&);
};

constexpr std::array kPlaceholders{
    Placeholder{"query", [](const Query& query) { return query.text(); }},
    Placeholder{"year", [](const Query& query) { return query.year; }},
    Placeholder{"mintmark", [](const Query& query) { return query.mintmark; }},
    Placeholder{"denomination", [](const Query& query) { return query.denomination; }},
    Placeholder{"series", [](const Query& query) { return query.series; }},
    Placeholder{"title", [](const Query& query) { return query.title; }},
    Placeholder{"keywords", [](const Query& query) { return query.keywords; }},
};

const Placeholder* placeholder(std::string_view name) noexcept {
    const auto* const found =
        std::find_if(kPlaceholders.begin(), kPlaceholders.end(),
                     [name](const Placeholder& one) { return one.name == name; });
    return found == kPlaceholders.end() ? nullptr : found;
}

std::string percent_encoded(std::string_view text) {
    constexpr std::string_view kUnreserved =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~";
    std::string out;
    for (const char c : text) {
        if (kUnreserved.find(c) != std::string_view::npos) {
            out += c;
        } else {
            out += fmt::format("%{:02X}", static_cast<unsigned char>(c));
        }
    }
    return out;
}

Error blocked(std::string_view what) {
    return Error::of(ErrorCode::SSRF_BLOCKED, std::string(what));
}

// A path with "." or ".." as a step, plain or escaped: resolved, it leads elsewhere.
bool wanders(std::string_view path) {
    std::string plain;
    for (std::size_t i = 0; i < path.size(); ++i) {
        const std::string escape = unicode::lower_case(path.substr(i, 3));
        const bool dot = escape == "%2e", slash = escape == "%2f" || escape == "%5c";
        plain += dot ? '.' : slash ? '/' : path[i];
        i += dot || slash ? 2 : 0;
    }
    plain += '/';
    return plain.find("/./") != std::string::npos || plain.find("/../") != std::string::npos;
}

}  // namespace

Query Query::of(const Intake& intake) {
    Query out;
    out.year = intake.year ? fmt::format("{}", *intake.year) : std::string();
    out.mintmark = intake.mintmark;
    out.denomination = intake.denomination;
    out.series = intake.series;
    out.title = intake.title;
    out.keywords = fmt::format("{}", fmt::join(intake.keywords_include, " "));
    return out;
}

std::string Query::text() const {
    std::string out;
    for (const std::string* part : {&year, &mintmark, &denomination, &series, &title, &keywords}) {
        if (!part->empty()) {
            out += (out.empty() ? "" : " ") + *part;
        }
    }
    return unicode::collapsed(out);
}

Status check_path_template(std::string_view path) {
    const auto bad = [](std::string_view why) {
        Error error = Error::of(ErrorCode::VALIDATION_ERROR, fmt::format("\"path\" {}", why));
        error.hint = "For example: /search?q={query}&year={year}";
        return error;
    };
    if (!path.empty() && path.front() != '/' && path.front() != '?') {
        return bad("must begin with / or ?");
    }
    while (!path.empty()) {
        const std::size_t open = path.find_first_of("{}");
        if (open == std::string_view::npos) {
            return ok_status();
        }
        const std::size_t close = path.find('}', open);
        if (path[open] == '}' || close == std::string_view::npos) {
            return bad("has a brace without its partner");
        }
        const std::string_view name = path.substr(open + 1, close - open - 1);
        if (placeholder(name) == nullptr) {
            return bad(fmt::format("has no placeholder {{{}}}", name));
        }
        path.remove_prefix(close + 1);
    }
    return ok_status();
}

Result<SourceOrigin> SourceOrigin::make(std::string_view base_url, std::string_view allowed_path) {
    auto checked = connect::check_url(base_url);
    if (!checked.ok()) {
        return std::move(checked).error();
    }
    if (base_url.find_first_of("?#") != std::string_view::npos) {
        return Error::of(ErrorCode::VALIDATION_ERROR,
                         "base_url must end with its path: a query belongs into config.path");
    }
    SourceOrigin out;
    out.base_ = base_url;
    while (out.base_.ends_with('/')) {
        out.base_.pop_back();
    }
    out.origin_ = checked->origin();
    out.allowed_path_ = allowed_path;
    while (out.allowed_path_.ends_with('/')) {
        out.allowed_path_.pop_back();
    }
    return out;
}

Result<std::string> SourceOrigin::allowed(const std::string& url) const {
    auto checked = connect::check_url(url);
    if (!checked.ok()) {
        return std::move(checked).error();
    }
    if (checked->origin() != origin_) {
        return blocked(
            fmt::format("{} is not where this source is ({})", checked->origin(), origin_));
    }
    const std::string_view target = checked->target;
    const std::string_view path = target.substr(0, target.find('?'));
    const bool below = path.starts_with(allowed_path_) &&
                       (path.size() == allowed_path_.size() || path[allowed_path_.size()] == '/');
    if (wanders(path) || !below) {
        return blocked(fmt::format("the path {} is not below the source's allowed_path {}", path,
                                   allowed_path_.empty() ? "/" : allowed_path_));
    }
    return checked->text();
}

Result<std::string> SourceOrigin::first_page(std::string_view path_template,
                                             const Query& query) const {
    std::string url = base_;
    while (!path_template.empty()) {
        const std::size_t open = std::min(path_template.find('{'), path_template.size());
        url += path_template.substr(0, open);
        path_template.remove_prefix(open);
        const std::size_t close = path_template.find('}');
        if (close == std::string_view::npos) {
            break;
        }
        if (const Placeholder* const one = placeholder(path_template.substr(1, close - 1))) {
            url += percent_encoded(one->value(query));
        }
        path_template.remove_prefix(close + 1);
    }
    return allowed(url);
}

Result<std::string> SourceOrigin::next_page(std::string_view current, std::string_view next) const {
    if (next.starts_with("//")) {
        return blocked("the next page's address names another host");
    }
    if (next.starts_with('/')) {
        return allowed(origin_ + std::string(next));
    }
    if (next.starts_with('?')) {
        return allowed(std::string(current.substr(0, current.find('?'))) + std::string(next));
    }
    return allowed(std::string(next));
}

}  // namespace jobforge::services
