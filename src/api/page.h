// Pages of lists: {"items": [...], "next_cursor": "..." | null}.
//
// A cursor is the last id of a page in base64url: opaque to clients, so that lists may change how
// they go on. Handlers ask for one row more than the page has, which tells whether there is a next
// one without a count. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <jobforge/json.h>

#include "api/request_fields.h"
#include "pg/rows.h"

namespace jobforge::api {

inline constexpr int kDefaultPage = 50;
inline constexpr int kLargestPage = 200;

// ?limit=1..200&cursor=...
struct PageQuery {
    int limit = kDefaultPage;
    std::optional<std::string> after;  // what the cursor said

    [[nodiscard]] static PageQuery read(QueryFields& query);
    // One more than the page has.
    [[nodiscard]] int rows_to_ask() const noexcept { return limit + 1; }
    // The cursor as the id of a row; a mistake of the query if it is none.
    [[nodiscard]] std::optional<Uuid> before_id(QueryFields& query) const;
    [[nodiscard]] std::int64_t after_number(QueryFields& query) const;
};

[[nodiscard]] std::string cursor_of(std::string_view last);
// nullopt: not made by cursor_of.
[[nodiscard]] std::optional<std::string> cursor_text(std::string_view cursor);

// The page's text from rows of JSON objects; `id` is the member that the next page goes on from.
[[nodiscard]] std::string page_text(const std::vector<Json>& rows, const PageQuery& page,
                                    std::string_view id);
// The same from a statement's rows: column 0 the JSON, column 1 the id as text. The JSON is passed
// on as the database wrote it.
[[nodiscard]] std::string page_text(const pg::Rows& rows, const PageQuery& page);
// A list that comes whole.
[[nodiscard]] std::string whole_list(const std::vector<Json>& rows);

}  // namespace jobforge::api
