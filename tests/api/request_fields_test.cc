// Bodies, queries and pages: what is read, what is refused, and how it is told.
#include "api/request_fields.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/page.h"

namespace jobforge::api {
namespace {

using ::testing::HasSubstr;

Json parsed(std::string_view text) {
    auto value = Json::parse(text);
    EXPECT_TRUE(value.ok()) << text;
    return value.ok() ? *std::move(value) : Json();
}

std::string told(const Status& status) {
    return status.ok() ? "ok" : status.error().message;
}

TEST(BodyFields, reads_each_kind_and_takes_null_for_left_out) {
    const Json body = parsed(R"({"a":"x","n":7,"b":true,"t":"2030-01-31T12:00:00Z",
        "u":"00000000-0000-4000-8000-000000000001","l":["p","q"],"none":null})");
    BodyFields fields(body);
    EXPECT_EQ(fields.text("a"), "x");
    EXPECT_EQ(fields.integer("n"), 7);
    EXPECT_EQ(fields.opt_boolean("b"), true);
    EXPECT_EQ(fields.opt_time("t")->time_since_epoch(), std::chrono::seconds(1896091200));
    EXPECT_EQ(fields.uuid("u").to_string(), "00000000-0000-4000-8000-000000000001");
    EXPECT_EQ(fields.texts("l"), (std::vector<std::string>{"p", "q"}));
    EXPECT_EQ(fields.opt_text("none"), std::nullopt);
    EXPECT_EQ(fields.opt_int("absent", 1, 2), std::nullopt);
    EXPECT_EQ(told(fields.finish()), "ok");
}

TEST(BodyFields, tells_the_first_mistake_with_its_field) {
    const auto message = [](std::string_view text, auto read) {
        const Json body = parsed(text);
        BodyFields fields(body);
        read(fields);
        const Status status = fields.finish();
        return status.ok() ? "ok" : status.error().message + " " + status.error().details;
    };
    EXPECT_EQ(message("{}", [](auto& f) { (void)f.text("type"); }),
              R"(type is missing {"field":"type"})");
    EXPECT_EQ(message(R"({"type":1})", [](auto& f) { (void)f.text("type"); }),
              R"(type must be a string {"field":"type"})");
    EXPECT_EQ(message(R"({"n":4})", [](auto& f) { (void)f.opt_int("n", 0, 3); }),
              R"(n must be between 0 and 3 {"field":"n"})");
    EXPECT_EQ(message(R"({"n":1.0})", [](auto& f) { (void)f.opt_int("n", 0, 3); }),
              R"(n must be an integer {"field":"n"})");
    EXPECT_EQ(message(R"({"u":"x"})", [](auto& f) { (void)f.opt_uuid("u"); }),
              R"(u must be an id (a UUID) {"field":"u"})");
    EXPECT_EQ(message(R"({"l":[1]})", [](auto& f) { (void)f.texts("l"); }),
              R"(l must be a list of strings {"field":"l"})");
    EXPECT_EQ(message(R"({"t":"now"})", [](auto& f) { (void)f.opt_time("t"); }),
              R"(t must be a time like 2030-01-31T12:00:00Z {"field":"t"})");
}

TEST(BodyFields, refuses_a_member_that_nobody_asked_for) {
    const Json body = parsed(R"({"typ":"x"})");
    BodyFields fields(body);
    (void)fields.opt_text("type");
    EXPECT_EQ(told(fields.finish()), "typ is not a member of this body; known: type");
}

TEST(QueryFields, refuses_what_is_unknown_or_twice_and_reads_the_rest) {
    http::RequestHead head;
    head.query = {{"status", "QUEUED"}, {"limit", "7"}};
    QueryFields query(head);
    EXPECT_EQ(query.opt_text("status"), "QUEUED");
    EXPECT_EQ(PageQuery::read(query).limit, 7);
    EXPECT_EQ(told(query.finish()), "ok");

    head.query.emplace_back("stats", "x");
    EXPECT_THAT(told(query.finish()), HasSubstr("stats is not a parameter of this path; known:"));
    head.query = {{"status", "A"}, {"status", "B"}};
    QueryFields twice(head);
    (void)twice.opt_text("status");
    EXPECT_EQ(told(twice.finish()), "status is given twice");
}

TEST(PageQuery, limits_and_cursors_have_their_range) {
    for (const char* limit : {"0", "201", "-1", "x", "", "5x", "99999999999999999999"}) {
        http::RequestHead head;
        head.query = {{"limit", limit}};
        QueryFields query(head);
        (void)PageQuery::read(query);
        EXPECT_EQ(told(query.finish()), "limit must be an integer between 1 and 200") << limit;
    }
    for (const char* cursor : {"%", "abc=", "AAAA+", "bm90IGFuIGlk"}) {
        http::RequestHead head;
        head.query = {{"cursor", cursor}};
        QueryFields query(head);
        (void)PageQuery::read(query).before_id(query);
        EXPECT_THAT(told(query.finish()), HasSubstr("cursor is not the next_cursor")) << cursor;
    }
}

TEST(Page, a_cursor_is_given_only_if_there_is_more_and_leads_to_the_rest) {
    const std::vector<Json> rows{parsed(R"({"id":"a","n":1.50})"), parsed(R"({"id":"b"})"),
                                 parsed(R"({"id":"c"})")};
    PageQuery page;
    page.limit = 3;
    EXPECT_EQ(page_text(rows, page, "id"),
              R"({"items":[{"id":"a","n":1.50},{"id":"b"},{"id":"c"}],"next_cursor":null})");
    page.limit = 2;
    EXPECT_EQ(page_text(rows, page, "id"),
              R"({"items":[{"id":"a","n":1.50},{"id":"b"}],"next_cursor":"Yg"})");
    EXPECT_EQ(cursor_text("Yg"), "b");
    EXPECT_EQ(page_text({}, page, "id"), R"({"items":[],"next_cursor":null})");
}

TEST(Page, cursors_of_any_bytes_come_back) {
    for (const std::string text : {"", "1", "12", "123", "\xff\xfe?>", "0190aaaa-bbbb"}) {
        EXPECT_EQ(cursor_text(cursor_of(text)), text);
    }
}

}  // namespace
}  // namespace jobforge::api
