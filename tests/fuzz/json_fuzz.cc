// Any bytes into the parser. What must hold: no crash, no bad memory, no endless work; a text that
// parses is dumped to a text that parses to an equal value, compact and indented; a canonical form
// is its own canonical form; what parses is JSON by the grammar too; quoting any bytes gives valid
// JSON. A violation aborts.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include <jobforge/json.h>

#include "base/json/canonical.h"
#include "base/json/json_check.h"

namespace {

using jobforge::Json;
using jobforge::Result;

void require(bool holds, const char* what) {
    if (!holds) {
        std::fprintf(stderr, "violated: %s\n", what);
        std::abort();
    }
}

void check_value(const Json& value) {
    const std::string dumped = value.dump();
    const Result<Json> again = Json::parse(dumped);
    require(again.ok() && *again == value, "dump parses to an equal value");
    require(again->dump() == dumped, "dump is stable");
    const Result<Json> pretty = Json::parse(value.pretty());
    require(pretty.ok() && *pretty == value, "pretty parses to an equal value");
    const Result<std::string> bytes = jobforge::canonical(value);
    if (bytes.ok()) {
        const Result<Json> parsed = Json::parse(*bytes);
        require(parsed.ok(), "canonical bytes parse");
        require(*jobforge::canonical(*parsed) == *bytes, "canonical bytes are canonical");
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const Result<Json> parsed = Json::parse(text);
    const jobforge::Status grammar = jobforge::check_json(text);
    if (parsed.ok()) {
        require(grammar.ok(), "what parses is JSON by the grammar");
        check_value(*parsed);
    } else {
        require(Json::parse(parsed.error().details).ok(), "the fault's place is JSON");
        require(Json::parse(parsed.error().to_json()).ok(), "the error is JSON");
    }
    if (!grammar.ok()) {
        require(Json::parse(grammar.error().details).ok(), "the grammar's fault has a place");
    }
    require(Json::parse(jobforge::json_quote(text)).ok(), "any bytes can be quoted");
    return 0;
}
