#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include "pg_fixture.h"

namespace jobforge::pg {
namespace {

using test::expect_ok;

class ParamsAndRows : public test::PgTest {
protected:
    Rows query(std::string_view sql, const Params& params = {}) {
        return expect_ok(connection_.exec({"query", sql}, params));
    }
    // What the server makes of a value, in its own words.
    std::string as_server_text(std::string_view sql, const Params& params) {
        return std::string(query(sql, params).text(0, 0));
    }
};

Uuid some_uuid() {
    return expect_ok(Uuid::parse("00112233-4455-6677-8899-aabbccddeeff"));
}

TEST_F(ParamsAndRows, integers_of_every_width_round_trip_at_their_extremes) {
    for (const std::int64_t extreme : {std::numeric_limits<std::int64_t>::min(), std::int64_t{-1},
                                       std::int64_t{0}, std::numeric_limits<std::int64_t>::max()}) {
        EXPECT_EQ(query("select $1::int8", Params().int8(extreme)).integer(0, 0), extreme);
    }
    for (const std::int32_t extreme :
         {std::numeric_limits<std::int32_t>::min(), std::numeric_limits<std::int32_t>::max()}) {
        EXPECT_EQ(query("select $1::int4", Params().int4(extreme)).integer(0, 0), extreme);
    }
    for (const std::int16_t extreme :
         {std::numeric_limits<std::int16_t>::min(), std::numeric_limits<std::int16_t>::max()}) {
        EXPECT_EQ(query("select $1::int2", Params().int2(extreme)).integer(0, 0), extreme);
    }
    EXPECT_EQ(query("select 4294967295::oid").integer(0, 0), 4294967295);
}

TEST_F(ParamsAndRows, the_server_reads_the_same_values_that_were_sent) {
    EXPECT_EQ(as_server_text("select $1::text", Params().text("x")), "x");
    EXPECT_EQ(as_server_text("select $1::int8::text", Params().int8(-5)), "-5");
    EXPECT_EQ(as_server_text("select $1::float8::text", Params().real(0.1)), "0.1");
    EXPECT_EQ(as_server_text("select $1::uuid::text", Params().uuid(some_uuid())),
              "00112233-4455-6677-8899-aabbccddeeff");
    EXPECT_EQ(as_server_text("select $1::jsonb::text", Params().jsonb(R"({"a":75.50})")),
              R"({"a": 75.50})");
    EXPECT_EQ(as_server_text("select encode($1, 'hex')", Params().bytea({"\0\xff", 2})), "00ff");
    EXPECT_EQ(as_server_text("select ($1::timestamptz at time zone 'UTC')::text",
                             Params().timestamp({1'700'000'000'123'456})),
              "2023-11-14 22:13:20.123456");
}

TEST_F(ParamsAndRows, booleans_reals_and_texts_round_trip) {
    EXPECT_TRUE(query("select $1::bool", Params().boolean(true)).boolean(0, 0));
    EXPECT_FALSE(query("select $1::bool", Params().boolean(false)).boolean(0, 0));
    EXPECT_EQ(query("select $1::float8", Params().real(-1e300)).real(0, 0), -1e300);
    EXPECT_TRUE(std::isinf(query("select 'infinity'::float8").real(0, 0)));
    for (const std::string text : {"", "plain", "Grüße 𝄞", "quote ' \" \\ $1 \n"}) {
        EXPECT_EQ(query("select $1", Params().text(text)).text(0, 0), text);
    }
    const std::string megabyte(1'000'000, 'x');
    EXPECT_EQ(query("select $1", Params().text(megabyte)).text(0, 0), megabyte);
    EXPECT_EQ(query("select 'abc'::varchar(5)").text(0, 0), "abc");
    EXPECT_EQ(query("select 'abc'::name").text(0, 0), "abc");
}

TEST_F(ParamsAndRows, bytes_round_trip_with_zeros) {
    std::string bytes;
    for (int value = 0; value < 256; ++value) {
        bytes.push_back(static_cast<char>(value));
    }
    EXPECT_EQ(query("select $1::bytea", Params().bytea(bytes)).text(0, 0), bytes);
}

TEST_F(ParamsAndRows, json_and_jsonb_are_read_as_json_text) {
    EXPECT_EQ(query("select $1::jsonb", Params().jsonb("[1, 2]")).json(0, 0), "[1, 2]");
    EXPECT_EQ(query("select '[1,2]'::json").json(0, 0), "[1,2]");
}

TEST_F(ParamsAndRows, enum_labels_are_read_as_text) {
    expect_ok(connection_.script("make", "create type colour as enum ('red', 'green')"));
    EXPECT_EQ(query("select 'green'::colour").text(0, 0), "green");
}

TEST_F(ParamsAndRows, timestamps_round_trip_from_before_1970_to_infinity) {
    const std::int64_t infinity = std::numeric_limits<std::int64_t>::max();
    for (const std::int64_t time :
         {std::int64_t{0}, std::int64_t{-1}, std::int64_t{-210'866'803'200'000'000},
          std::int64_t{946'684'800'000'000}, infinity, std::numeric_limits<std::int64_t>::min()}) {
        EXPECT_EQ(query("select $1::timestamptz", Params().timestamp({time})).timestamp(0, 0),
                  Timestamp{time});
    }
    EXPECT_EQ(as_server_text("select $1::timestamptz::text", Params().timestamp({infinity})),
              "infinity");
    // Postgres counts from 2000 and so reaches 30 years further than int64 does from 1970.
    EXPECT_EQ(query("select '294276-12-31 23:59:59.999999+00'::timestamptz").timestamp(0, 0),
              Timestamp{infinity});
}

TEST_F(ParamsAndRows, a_time_before_the_calendar_is_refused_and_does_not_wrap_around) {
    const auto rows =
        connection_.exec({"query", "select $1::timestamptz"},
                         Params().timestamp({std::numeric_limits<std::int64_t>::min() + 1}));
    ASSERT_FALSE(rows.ok());
    EXPECT_EQ(rows.error().code, ErrorCode::VALIDATION_ERROR);
}

TEST_F(ParamsAndRows, nulls_are_null_through_every_optional) {
    const Rows rows = query(
        "select $1::text, $2::int4, $3::timestamptz, $4::int8, $5::uuid, $6::jsonb, $7::bool,"
        " $8::float8",
        Params()
            .opt_text(std::nullopt)
            .opt_int4(std::nullopt)
            .opt_timestamp(std::nullopt)
            .opt_int8(std::nullopt)
            .opt_uuid(std::nullopt)
            .opt_jsonb(std::nullopt)
            .null()
            .null(701));
    EXPECT_EQ(rows.opt_text(0, 0), std::nullopt);
    EXPECT_EQ(rows.opt_integer(0, 1), std::nullopt);
    EXPECT_EQ(rows.opt_timestamp(0, 2), std::nullopt);
    EXPECT_EQ(rows.opt_integer(0, 3), std::nullopt);
    EXPECT_EQ(rows.opt_uuid(0, 4), std::nullopt);
    EXPECT_EQ(rows.opt_json(0, 5), std::nullopt);
    EXPECT_EQ(rows.opt_boolean(0, 6), std::nullopt);
    EXPECT_EQ(rows.opt_real(0, 7), std::nullopt);
    EXPECT_TRUE(rows.is_null(0, 0));
}

TEST_F(ParamsAndRows, optionals_with_a_value_carry_it) {
    const Rows rows = query("select $1, $2, $3, $4, $5, $6", Params()
                                                                 .opt_text("a")
                                                                 .opt_int4(1)
                                                                 .opt_timestamp(Timestamp{7})
                                                                 .opt_int8(2)
                                                                 .opt_uuid(some_uuid())
                                                                 .opt_jsonb("{}"));
    EXPECT_EQ(rows.opt_text(0, 0), "a");
    EXPECT_EQ(rows.opt_integer(0, 1), 1);
    EXPECT_EQ(rows.opt_timestamp(0, 2), Timestamp{7});
    EXPECT_EQ(rows.opt_integer(0, 3), 2);
    EXPECT_EQ(rows.opt_uuid(0, 4), some_uuid());
    EXPECT_EQ(rows.opt_json(0, 5), "{}");
}

TEST_F(ParamsAndRows, arrays_of_every_type_arrive_as_sent) {
    const std::vector<std::uint8_t> booleans = {1, 0};
    const std::vector<std::int16_t> shorts = {-32768, 32767};
    const std::vector<std::int32_t> ints = {-1, 2147483647};
    const std::vector<std::int64_t> longs = {std::numeric_limits<std::int64_t>::min(), 0};
    const std::vector<std::string> texts = {"a", "", "with, {comma} \"quote\""};
    const std::vector<std::string> jsons = {"{}", "[1]"};
    const std::vector<Timestamp> times = {{0}, {1'000'000}};
    const std::vector<Uuid> ids = {some_uuid(), Uuid{}};
    const Rows rows = query(
        "select $1::bool[]::text, $2::int2[], $3::int4[], $4::int8[], $5::text[],"
        " $6::jsonb[]::text, array(select extract(epoch from t)::int8 from unnest($7) t),"
        " $8::uuid[]",
        Params()
            .boolean_array(booleans)
            .int2_array(shorts)
            .int4_array(ints)
            .int8_array(longs)
            .text_array(texts)
            .jsonb_array(jsons)
            .timestamp_array(times)
            .uuid_array(ids));
    EXPECT_EQ(rows.text(0, 0), "{t,f}");
    EXPECT_EQ(rows.integer_array(0, 1), (std::vector<std::int64_t>{-32768, 32767}));
    EXPECT_EQ(rows.integer_array(0, 2), (std::vector<std::int64_t>{-1, 2147483647}));
    EXPECT_EQ(rows.integer_array(0, 3), longs);
    EXPECT_EQ(rows.text_array(0, 4), texts);
    EXPECT_EQ(rows.text(0, 5), R"({"{}",[1]})");
    EXPECT_EQ(rows.integer_array(0, 6), (std::vector<std::int64_t>{0, 1}));
    EXPECT_EQ(rows.uuid_array(0, 7), ids);
}

TEST_F(ParamsAndRows, arrays_with_null_elements_keep_their_places) {
    const std::vector<std::optional<std::string>> texts = {std::nullopt, "a", std::nullopt};
    const std::vector<std::optional<std::string>> jsons = {"1", std::nullopt};
    const std::vector<std::optional<Timestamp>> times = {std::nullopt, Timestamp{0}};
    const std::vector<std::optional<std::int32_t>> ints = {std::nullopt, 5};
    const Rows rows = query(
        "select $1::text[]::text, $2::jsonb[]::text, ($3::timestamptz[])[1] is null,"
        " ($3::timestamptz[])[2] = to_timestamp(0), $4::int4[]::text",
        Params()
            .opt_text_array(texts)
            .opt_jsonb_array(jsons)
            .opt_timestamp_array(times)
            .opt_int4_array(ints));
    EXPECT_EQ(rows.text(0, 0), "{NULL,a,NULL}");
    EXPECT_EQ(rows.text(0, 1), "{1,NULL}");
    EXPECT_TRUE(rows.boolean(0, 2));
    EXPECT_TRUE(rows.boolean(0, 3));
    EXPECT_EQ(rows.text(0, 4), "{NULL,5}");
}

TEST_F(ParamsAndRows, empty_arrays_are_empty_and_not_null) {
    const Rows rows = query("select $1::text[], $2::uuid[], cardinality($3::int8[])",
                            Params().text_array({}).uuid_array({}).int8_array({}));
    EXPECT_TRUE(rows.text_array(0, 0).empty());
    EXPECT_TRUE(rows.uuid_array(0, 1).empty());
    EXPECT_EQ(rows.integer(0, 2), 0);
}

TEST_F(ParamsAndRows, an_array_of_100000_elements_round_trips) {
    std::vector<std::int64_t> values(100'000);
    for (std::size_t i = 0; i < values.size(); ++i) {
        values[i] = static_cast<std::int64_t>(i) * 7;
    }
    EXPECT_EQ(query("select $1::int8[]", Params().int8_array(values)).integer_array(0, 0), values);
}

TEST_F(ParamsAndRows, params_can_be_cleared_and_reused) {
    Params params;
    params.text("first").int4(1);
    params.clear();
    EXPECT_EQ(params.count(), 0);
    params.text("second");
    EXPECT_EQ(query("select $1", params).text(0, 0), "second");
}

TEST_F(ParamsAndRows, columns_are_found_by_their_exact_name) {
    const Rows rows = query("select 1 as one, 2 as \"Two\"");
    EXPECT_EQ(rows.column("one"), 0);
    EXPECT_EQ(rows.column("Two"), 1);
}

TEST_F(ParamsAndRows, the_command_tag_counts_affected_rows) {
    query("create table t (n int)");
    const Rows rows = query("insert into t select generate_series(1, 7)");
    EXPECT_EQ(rows.affected(), 7);
    EXPECT_EQ(rows.command_tag(), "INSERT 0 7");
    EXPECT_TRUE(rows.empty());
}

}  // namespace
}  // namespace jobforge::pg
