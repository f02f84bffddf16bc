// Values that are not plainly bad: some calls take them, others refuse them, and none answers with
// an error of Postgres's own.
#include "argument_cases.h"

namespace jobforge::test {
namespace {

// Arrays that no client library sends and every SQL client can write: of two dimensions, and
// counted from another number than 1.
BadValues arrays_of(const std::string& type, const std::string& element) {
    const std::string cast = "}'::" + type;
    return {{"two_dimensions", "'{{" + element + "},{" + element + "}" + cast},
            {"from_zero", "'[0:0]={" + element + cast},
            {"from_seven", "'[7:8]={" + element + "," + element + cast}};
}

const std::map<std::string, BadValues> kOddValues = {
    {"text",
     {{"blank", "' '"},
      {"lines", R"(E'a\nb')"},
      {"control", R"(E'\x01')"},
      {"wide", "repeat(chr(128512), 150)"},
      {"format", R"('%s %I $1 {} \ ''')"},
      {"number", "'9223372036854775808'"},
      {"uuid", "'cccccccc-0000-4000-8000-000000000003'"},
      {"json", R"('{"a": 1}')"},
      {"pattern", "'(((('"}}},
    {"name", {{"blank", "' '"}, {"nobody", "'no such role'"}, {"format", R"('%I "x')"}}},
    {"integer", {{"least", "-2147483648"}, {"many", "1000000"}}},
    {"bigint", {{"least", "-9223372036854775808"}, {"zero", "0"}}},
    {"double precision",
     {{"tiny", "1e-320"}, {"minus_zero", "'-0'"}, {"least", "-1.7976931348623157e308"}}},
    {"timestamp with time zone",
     {{"year_1", "'0001-01-01'"},
      {"2000", "'2000-01-01'"},
      {"9999", "'9999-12-31 23:59:59.999999'"}}},
    {"interval",
     {{"zero", "'0'"},
      {"months", "'1 month -31 days'"},
      {"most", "'178000000 years'"},
      {"least", "'-178000000 years'"},
      {"days", "'2147483647 days'"}}},
    {"jsonb",
     {{"text", R"('"x"')"},
      {"deep", "(repeat('[', 3000) || repeat(']', 3000))::jsonb"},
      {"long_number", R"('{"code": "X", "message": "m", "n": 1e131000}')"},
      {"members", R"('{"code": {}, "message": [], "retryable": "x", "name": {}, "": null}')"},
      {"numbers", R"('{"code": 1, "message": 1, "retryable": 1, "name": 1e300}')"}}},
    {"bytea", {{"long", "decode(repeat('00', 100000), 'hex')"}}},
    {"text[]", arrays_of("text[]", "a")},
    {"bytea[]", {{"not_json", "array['a']::bytea[]"}, {"not_utf8", R"(array['\xff']::bytea[])"}}},
    {"uuid[]", arrays_of("uuid[]", "JOB")},
    {"integer[]", arrays_of("integer[]", "1")},
    {"bigint[]", arrays_of("bigint[]", "1")},
    {"double precision[]", arrays_of("double precision[]", "1")},
    {"timestamp with time zone[]", arrays_of("timestamptz[]", "2020-01-01")},
    {"jsonb[]", arrays_of("jsonb[]", "1")},
    {"tid[]", arrays_of("tid[]", "\"(0,1)\"")},
};

}  // namespace

const std::map<std::string, BadValues>& odd_values() {
    return kOddValues;
}

}  // namespace jobforge::test
