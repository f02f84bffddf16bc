// The facts that a test supplies; their payloads are JSON inside the source.
#include <utility>

#include <fmt/format.h>

#include "rules/syntax/parser_impl.h"
#include "rules/syntax/source_json.h"
#include "values/document_numbers.h"

namespace jobforge::rules {

namespace {

// The end of the JSON value that begins at `begin`: where its brackets close. npos if they do not.
std::size_t end_of_json(std::string_view text, std::size_t begin) noexcept {
    std::size_t open = 0;
    bool in_text = false;
    for (std::size_t at = begin; at < text.size(); ++at) {
        const char c = text[at];
        if (in_text) {
            at += c == '\\' ? 1U : 0U;
            in_text = c != '"';
        } else if (c == '"') {
            in_text = true;
        } else if (c == '{' || c == '[') {
            ++open;
        } else if ((c == '}' || c == ']') && --open == 0) {
            return at + 1;
        }
    }
    return std::string_view::npos;
}

// {"offset"} of an error of the JSON parser.
std::uint32_t offset_in(const Error& error) {
    const auto details = Json::parse(error.details);
    const Json* offset = details.ok() ? details->find("offset") : nullptr;
    return static_cast<std::uint32_t>(offset != nullptr ? offset->as_int64().value_or(0) : 0);
}

}  // namespace

bool Parser::fixtures(Fixtures& fixtures) {
    if (!require("{", "fixtures stand in braces: { fact b(\"Type\", \"key\") = {...}; }")) {
        return false;
    }
    bool ok = true;
    while (!accept("}")) {
        if (at_end() || at_declaration()) {
            report_expected("`}`");
            return false;
        }
        if (!accept(";") && !fixture(fixtures)) {
            ok = false;
            skip_to({";", "=>"});
            if (at("=>")) {
                return false;
            }
            accept(";");
        }
    }
    return ok;
}

bool Parser::fixture(Fixtures& fixtures) {
    if (at("fact")) {
        return fact_fixture(fixtures);
    }
    if (at("product")) {
        return product_fixture(fixtures);
    }
    if (at("issued")) {
        return issued_fixture(fixtures);
    }
    report_expected("fact, product or issued",
                    "write fact b(\"Type\", \"key\") = {...}; product(\"sku\", \"name\"); or "
                    "issued(\"2027-02-18\");");
    return false;
}

bool Parser::fact_fixture(Fixtures& fixtures) {
    constexpr std::string_view kAdvice = "write fact b(\"Type\", \"key\") = {...};";
    FactFixture fixture;
    const Span first = here();
    advance();
    auto label = require_name("a label");
    if (!label || !require("(", kAdvice)) {
        return false;
    }
    auto fact_type = require_text("the type of a fact in quotes");
    if (!fact_type || !require(",", kAdvice)) {
        return false;
    }
    auto key = require_text("the key of the fact in quotes");
    if (!key || !require(")", kAdvice)) {
        return false;
    }
    fixture.label = *std::move(label);
    fixture.fact_type = *std::move(fact_type);
    fixture.key = *std::move(key);
    if (!payload(fixture)) {
        return false;
    }
    fixture.span = since(first);
    require_semicolon("the fact");
    fixtures.facts.push_back(std::move(fixture));
    return true;
}

// = JSON. The tokens inside it mean nothing: the text between the braces goes to the JSON parser.
bool Parser::payload(FactFixture& fixture) {
    if (!require("=", "write fact b(\"Type\", \"key\") = {...};")) {
        return false;
    }
    const Span first = here();
    if (!at("{")) {
        report_expected("`{`", "a fact is a JSON object");
        return false;
    }
    const std::size_t end = end_of_json(source_.text(), first.begin);
    if (end == std::string_view::npos) {
        report(first, "this JSON object has no end", "close every brace, bracket and quote");
        return false;
    }
    fixture.payload_span = {number_, first.begin, static_cast<std::uint32_t>(end)};
    auto parsed = Json::parse(source_.slice(fixture.payload_span));
    seek(end);
    if (!parsed.ok()) {
        const std::uint32_t place = first.begin + offset_in(parsed.error());
        const std::string& message = parsed.error().message;
        report({number_, place, place}, message.substr(message.find(": ") + 2),
               "a fact is written in JSON, without comments");
        return false;
    }
    auto exact = with_exact_numbers(*parsed);
    if (!exact.ok()) {
        const auto details = Json::parse(exact.error().details);
        const Json* pointer = details.ok() ? details->find("pointer") : nullptr;
        const auto [begin, stop] =
            place_in_json(source_.slice(fixture.payload_span),
                          pointer != nullptr && pointer->is_string() ? *pointer->as_string() : "");
        report({number_, first.begin + static_cast<std::uint32_t>(begin),
                first.begin + static_cast<std::uint32_t>(stop)},
               exact.error().message);
        return false;
    }
    fixture.numbers = numbers_made_text(*parsed, *exact);
    fixture.payload = *std::move(exact);
    return true;
}

bool Parser::product_fixture(Fixtures& fixtures) {
    constexpr std::string_view kAdvice = "write product(\"sku\", \"name\");";
    const Span first = here();
    if (fixtures.sku) {
        report(first, "the product is given twice", "remove one");
        return false;
    }
    advance();
    if (!require("(", kAdvice)) {
        return false;
    }
    auto sku = require_text("the sku in quotes");
    if (!sku || !require(",", kAdvice)) {
        return false;
    }
    auto name = require_text("the name in quotes");
    if (!name || !require(")")) {
        return false;
    }
    fixtures.sku = std::move(sku);
    fixtures.name = std::move(name);
    fixtures.product_span = since(first);
    require_semicolon("the product");
    return true;
}

bool Parser::issued_fixture(Fixtures& fixtures) {
    const Span first = here();
    if (fixtures.issued) {
        report(first, "the date of issue is given twice", "remove one");
        return false;
    }
    advance();
    if (!require("(", "write issued(\"2027-02-18\");")) {
        return false;
    }
    auto issued = require_text("a date in quotes such as \"2027-02-18\"");
    if (!issued || !require(")")) {
        return false;
    }
    fixtures.issued = std::move(issued);
    fixtures.issued_span = since(first);
    require_semicolon("the date of issue");
    return true;
}

}  // namespace jobforge::rules
