// The addresses of a source: made from a template, or taken from its answers and then not trusted.
// Pure.
#pragma once

#include <string>
#include <string_view>

#include <jobforge/error.h>

#include "prices/intake.h"

namespace jobforge::services {

// The part of an intake that a source is asked with. Everything that can change an answer is here,
// so that the cache's key can be made of it (cache_key.h): grade and condition are not.
struct Query {
    std::string year, mintmark, denomination, series, title;
    std::string keywords;  // keywords_include, joined by spaces

    [[nodiscard]] static Query of(const Intake& intake);
    // All of them that are there, joined by spaces: {query}.
    [[nodiscard]] std::string text() const;
};

// "" or a path beginning with '/' or '?', with the placeholders {query} {year} {mintmark}
// {denomination} {series} {title} {keywords}. VALIDATION_ERROR for anything else.
[[nodiscard]] Status check_path_template(std::string_view path);

// Where a source may be asked: below its base_url's origin and, if the tenant said so, below a
// path.
class SourceOrigin final {
public:
    // `allowed_path` "" allows every path. SSRF_BLOCKED, as check_url;
    // VALIDATION_ERROR if base_url has a query or fragment.
    [[nodiscard]] static Result<SourceOrigin> make(std::string_view base_url,
                                                   std::string_view allowed_path);

    // The first page. Values are percent-encoded, so that none can leave its place. SSRF_BLOCKED.
    [[nodiscard]] Result<std::string> first_page(std::string_view path_template,
                                                 const Query& query) const;
    // The next page as an answer names it: a whole URL, "/path...", or "?query" behind the path of
    // `current`. SSRF_BLOCKED if it leaves the origin or the path: an answer must not choose whom
    // we talk to.
    [[nodiscard]] Result<std::string> next_page(std::string_view current,
                                                std::string_view next) const;

private:
    [[nodiscard]] Result<std::string> allowed(const std::string& url) const;

    std::string base_;    // without a slash at its end
    std::string origin_;  // scheme://host:port
    std::string allowed_path_;
};

}  // namespace jobforge::services
