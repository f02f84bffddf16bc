#include "rules/syntax/fixture_parser.h"

#include <utility>

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

bool FixtureParser::fixtures(Fixtures& fixtures) {
    if (!tokens_.require("{", "fixtures stand in braces: { fact b(\"Type\", \"key\") = {...}; }")) {
        return false;
    }
    bool ok = true;
    while (!tokens_.accept("}")) {
        if (tokens_.at_end() || tokens_.at_declaration()) {
            tokens_.report_expected("`}`");
            return false;
        }
        if (!tokens_.accept(";") && !fixture(fixtures)) {
            ok = false;
            tokens_.skip_to({";", "=>"});
            if (tokens_.at("=>")) {
                return false;
            }
            tokens_.accept(";");
        }
    }
    return ok;
}

bool FixtureParser::fixture(Fixtures& fixtures) {
    if (tokens_.at("fact")) {
        return fact_fixture(fixtures);
    }
    if (tokens_.at("product")) {
        return product_fixture(fixtures);
    }
    if (tokens_.at("issued")) {
        return issued_fixture(fixtures);
    }
    tokens_.report_expected(
        "fact, product or issued",
        "write fact b(\"Type\", \"key\") = {...}; product(\"sku\", \"name\"); or "
        "issued(\"2027-02-18\");");
    return false;
}

bool FixtureParser::fact_fixture(Fixtures& fixtures) {
    constexpr std::string_view kAdvice = "write fact b(\"Type\", \"key\") = {...};";
    FactFixture fixture;
    const Span first = tokens_.here();
    tokens_.advance();
    auto label = tokens_.require_name("a label");
    if (!label || !tokens_.require("(", kAdvice)) {
        return false;
    }
    auto fact_type = tokens_.require_text("the type of a fact in quotes");
    if (!fact_type || !tokens_.require(",", kAdvice)) {
        return false;
    }
    auto key = tokens_.require_text("the key of the fact in quotes");
    if (!key || !tokens_.require(")", kAdvice)) {
        return false;
    }
    fixture.label = *std::move(label);
    fixture.fact_type = *std::move(fact_type);
    fixture.key = *std::move(key);
    if (!payload(fixture)) {
        return false;
    }
    fixture.span = tokens_.since(first);
    tokens_.require_semicolon("the fact");
    fixtures.facts.push_back(std::move(fixture));
    return true;
}

// = JSON. The tokens inside it mean nothing: the text between the braces goes to the JSON parser.
bool FixtureParser::payload(FactFixture& fixture) {
    if (!tokens_.require("=", "write fact b(\"Type\", \"key\") = {...};")) {
        return false;
    }
    const Span first = tokens_.here();
    if (!tokens_.at("{")) {
        tokens_.report_expected("`{`", "a fact is a JSON object");
        return false;
    }
    const std::size_t end = end_of_json(tokens_.source().text(), first.begin);
    if (end == std::string_view::npos) {
        tokens_.report(first, "this JSON object has no end",
                       "close every brace, bracket and quote");
        return false;
    }
    fixture.payload_span = tokens_.span(first.begin, end);
    auto parsed = Json::parse(tokens_.source().slice(fixture.payload_span));
    tokens_.seek(end);
    if (!parsed.ok()) {
        const std::uint32_t place = first.begin + offset_in(parsed.error());
        const std::string& message = parsed.error().message;
        tokens_.report(tokens_.span(place, place), message.substr(message.find(": ") + 2),
                       "a fact is written in JSON, without comments");
        return false;
    }
    auto exact = with_exact_numbers(*parsed);
    if (!exact.ok()) {
        const auto details = Json::parse(exact.error().details);
        const Json* pointer = details.ok() ? details->find("pointer") : nullptr;
        const auto [begin, stop] =
            place_in_json(tokens_.source().slice(fixture.payload_span),
                          pointer != nullptr && pointer->is_string() ? *pointer->as_string() : "");
        tokens_.report(tokens_.span(first.begin + begin, first.begin + stop),
                       exact.error().message);
        return false;
    }
    fixture.numbers = numbers_made_text(*parsed, *exact);
    fixture.payload = *std::move(exact);
    return true;
}

bool FixtureParser::product_fixture(Fixtures& fixtures) {
    constexpr std::string_view kAdvice = "write product(\"sku\", \"name\");";
    const Span first = tokens_.here();
    if (fixtures.sku) {
        tokens_.report(first, "the product is given twice", "remove one");
        return false;
    }
    tokens_.advance();
    if (!tokens_.require("(", kAdvice)) {
        return false;
    }
    auto sku = tokens_.require_text("the sku in quotes");
    if (!sku || !tokens_.require(",", kAdvice)) {
        return false;
    }
    auto name = tokens_.require_text("the name in quotes");
    if (!name || !tokens_.require(")")) {
        return false;
    }
    fixtures.sku = std::move(sku);
    fixtures.name = std::move(name);
    fixtures.product_span = tokens_.since(first);
    tokens_.require_semicolon("the product");
    return true;
}

bool FixtureParser::issued_fixture(Fixtures& fixtures) {
    const Span first = tokens_.here();
    if (fixtures.issued) {
        tokens_.report(first, "the date of issue is given twice", "remove one");
        return false;
    }
    tokens_.advance();
    if (!tokens_.require("(", "write issued(\"2027-02-18\");")) {
        return false;
    }
    auto issued = tokens_.require_text("a date in quotes such as \"2027-02-18\"");
    if (!issued || !tokens_.require(")")) {
        return false;
    }
    fixtures.issued = std::move(issued);
    fixtures.issued_span = tokens_.since(first);
    tokens_.require_semicolon("the date of issue");
    return true;
}

}  // namespace jobforge::rules
