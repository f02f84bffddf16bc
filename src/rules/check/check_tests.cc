// Examples and properties: names, fixtures, expectations, bodies.
#include <algorithm>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "rules/check/expression_checker.h"
#include "rules/eval/fact_shape.h"
#include "rules/syntax/source_json.h"

namespace jobforge::rules {

namespace {

using FactKey = std::pair<std::string_view, std::string_view>;

// A test gives each fact once: two of the same type and key are refused by snapshots too.
void check_unique(CheckContext& context, std::set<FactKey>& keys, const std::string& type,
                  const Name& key) {
    if (!keys.emplace(type, key.text).second) {
        context.type_error(key.span, fmt::format("the fact {} {} is given twice", type, key.text),
                           "remove one, or give it another key");
    }
}

// The payload against the fact's declaration, at the place in the JSON that does not fit.
void check_shape(CheckContext& context, const FactFixture& fixture) {
    const Type& type = context.package().facts[fixture.fact].type;
    if (type.is_error()) {
        return;
    }
    const Fact fact{fixture.fact_type.text, fixture.key.text, fixture.payload, {}, {}, {},
                    fixture.numbers};
    const auto shaped = shape_fact(fact, type);
    if (shaped.ok()) {
        return;
    }
    const auto details = Json::parse(shaped.error().details);
    const auto detail = [&details](std::string_view key) -> std::string {
        const Json* found = details.ok() ? details->find(key) : nullptr;
        return found != nullptr && found->is_string() ? *found->as_string() : "";
    };
    const std::string pointer = detail("pointer");
    const Span& payload = fixture.payload_span;
    const auto [begin, end] =
        place_in_json(context.package().sources[payload.source].slice(payload), pointer);
    const Span place{payload.source, payload.begin + static_cast<std::uint32_t>(begin),
                     payload.begin + static_cast<std::uint32_t>(end)};
    context.type_error(
        place,
        fmt::format("{} {}: expected {}, found {}", fixture.fact_type.text,
                    pointer.empty() ? "payload" : pointer, detail("expected"), detail("found")),
        "to test how rules treat a wrong document, add expectError(\"FACT_SHAPE\")");
}

void check_fixtures(CheckContext& context, Fixtures& fixtures, std::set<FactKey>& keys,
                    bool shaped) {
    std::set<std::string_view> labels;
    for (FactFixture& fixture : fixtures.facts) {
        if (!labels.insert(fixture.label.text).second) {
            context.type_error(fixture.label.span,
                               fmt::format("the label {} is used twice", fixture.label.text),
                               "choose another");
        }
        check_unique(context, keys, fixture.fact_type.text, fixture.key);
        const auto fact =
            resolve_fact_name(context, fixture.fact_type.text, fixture.fact_type.span);
        if (fact) {
            fixture.fact = *fact;
            if (shaped) {
                check_shape(context, fixture);
            }
        }
    }
    if (fixtures.issued) {
        fixtures.issued_on = Date::parse(fixtures.issued->text);
        if (!fixtures.issued_on) {
            context.type_error(fixtures.issued->span, "there is no such day",
                               "a date is written \"2027-02-18\"");
        }
    }
}

// The field that an expectation names: by the same door as field("path"), so that the message about
// an unknown one is the same.
void check_expectation(CheckContext& context, Expectation& expectation) {
    ExpressionChecker checker(context);
    if (expectation.kind == Expectation::Kind::value) {
        checker.require(*expectation.comparison, Type::boolean(), "an expectation");
    } else if (expectation.path) {
        Expression reference;
        reference.span = expectation.path->span;
        reference.node = FieldReference{expectation.path->text, expectation.path->span};
        checker.infer(reference);
    }
    if (expectation.kind == Expectation::Kind::compliance) {
        context.check_status(expectation.status.span, expectation.status.text);
    }
    expectation.frame_size = checker.variables().frame_size();
    const auto found = expectation.path ? context.package().field_index.find(expectation.path->text)
                                        : context.package().field_index.end();
    if (found != context.package().field_index.end()) {
        expectation.field = found->second;
    }
    if (expectation.kind == Expectation::Kind::error && expectation.code.text.empty()) {
        context.type_error(expectation.code.span, "the code of an error is not empty");
    }
}

void check_example(CheckContext& context, Example& example) {
    const bool wrong_shape =
        std::ranges::any_of(example.expectations, [](const Expectation& expectation) {
            return expectation.kind == Expectation::Kind::error &&
                   expectation.code.text == to_string(ErrorCode::FACT_SHAPE);
        });
    std::set<FactKey> keys;
    check_fixtures(context, example.fixtures, keys, !wrong_shape);
    for (Expectation& expectation : example.expectations) {
        check_expectation(context, expectation);
    }
}

void check_variable(CheckContext& context, ForallVariable& variable, std::set<FactKey>& keys) {
    variable.type = resolve_type(context, variable.type_syntax);
    if (!variable.key) {
        return;
    }
    const std::string& name = variable.type_syntax.name.text;
    check_unique(context, keys, name, *variable.key);
    const auto fact = context.package().fact_index.find(name);
    if (fact != context.package().fact_index.end()) {
        variable.fact = fact->second;
    } else if (!variable.type.is_error()) {
        context.type_error(variable.span, fmt::format("{} is not a fact and has no key", name),
                           fmt::format("write forall {}: {}", variable.name.text, name));
    }
}

void check_property(CheckContext& context, Property& property) {
    std::set<FactKey> keys;
    check_fixtures(context, property.fixtures, keys, true);
    ExpressionChecker checker(context);
    std::set<std::string_view> names;
    for (ForallVariable& variable : property.variables) {
        check_variable(context, variable, keys);
        if (!names.insert(variable.name.text).second) {
            context.type_error(variable.name.span,
                               fmt::format("the variable {} is given twice", variable.name.text),
                               "choose another name");
        }
        variable.slot = checker.variables().bind(variable.name.text, variable.type);
    }
    const Expression* tail = property.body.get();
    while (const auto* block = std::get_if<Block>(&tail->node)) {
        tail = block->result.get();
    }
    checker.allow_implies(*tail);
    checker.require(*property.body, Type::boolean(), "the condition of a property");
    property.frame_size = checker.variables().frame_size();
    property.fields.assign(checker.fields().begin(), checker.fields().end());
    if (property.fields.empty() && !context.incomplete() && !property.body->type.is_error()) {
        context.type_error(property.name.span,
                           fmt::format("the property {} reads no field", property.name.text),
                           "it would test nothing: read one with field(\"path\")");
    }
}

}  // namespace

void check_tests(CheckContext& context) {
    for (Example& example : context.package().examples) {
        check_example(context, example);
    }
    for (Property& property : context.package().properties) {
        check_property(context, property);
    }
}

}  // namespace jobforge::rules
