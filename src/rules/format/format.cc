#include "rules/format/format.h"

#include <algorithm>
#include <utility>

#include "rules/format/format_writer.h"
#include "rules/syntax/parser.h"

namespace jobforge::rules {

std::optional<std::string> format(const SourceText& source, Diagnostics& diagnostics) {
    const std::size_t before = diagnostics.count();
    const auto parsed = parse(source, 0, diagnostics);
    if (!parsed || diagnostics.count() > before) {
        return std::nullopt;
    }
    return FormatWriter(source, parsed->tokens).write(parsed->module);
}

std::string FormatWriter::write(const Module& module) {
    for (const Declaration& each : module.declarations) {
        while (peek() == ";") {
            skip(";");
        }
        layout_.blank_line();
        std::visit([this](const auto& found) { declaration(found); }, each);
    }
    while (peek() == ";") {
        skip(";");
    }
    comments_before(source_.text().size() + 1);
    return layout_.text();
}

void FormatWriter::declaration(const FactDeclaration& fact) {
    token();
    layout_.space();
    token();
    layout_.space();
    token();
    layout_.open();
    layout_.indent();
    for (std::size_t i = 0; i < fact.members.size(); ++i) {
        if (fact.members.size() > 1) {
            line();
        } else {
            layout_.soft_break();
        }
        tokens(2);
        layout_.space();
        type(*fact.members[i].type);
        if (i + 1 < fact.members.size()) {
            token();
        } else {
            skip(",");
        }
    }
    comments_before(tokens_.tokens[at_].begin);
    layout_.dedent();
    if (!fact.members.empty()) {
        layout_.soft_break();
    }
    token();
    layout_.close();
}

void FormatWriter::type(const TypeSyntax& type) {
    token();
    if (type.number || type.unit) {
        return tokens(3);
    }
    if (type.name.text == "Map") {
        tokens(3);
        layout_.space();
        this->type(*type.inner.front().type);
        return token();
    }
    if (type.name.text == "Record") {
        return bracketed(type.inner, ")", [this](const TypeSyntaxMember& member) {
            tokens(2);
            layout_.space();
            this->type(*member.type);
        });
    }
    if (!type.inner.empty()) {
        token();
        this->type(*type.inner.front().type);
        token();
    }
}

void FormatWriter::declaration(const FieldDeclaration& field) {
    token();
    layout_.space();
    const auto segments = 1 + std::ranges::count(field.path.text, '.');
    tokens(static_cast<std::size_t>(2 * segments - 1));
    token();
    layout_.space();
    type(field.type_syntax);
    layout_.space();
    if (field.access != Access::restricted) {
        tokens(4);
        layout_.space();
    }
    token();
    body(*field.body);
    token();
}

// The `;` of the test, on a line of its own.
void FormatWriter::end_of_test() {
    layout_.hard_break();
    if (peek() == ";") {
        token();
    } else {
        own(";");
    }
}

void FormatWriter::declaration(const Example& example) {
    token();
    layout_.space();
    tokens(2);
    layout_.space();
    fixtures(example.fixtures);
    layout_.space();
    token();
    layout_.indent();
    for (const Expectation& each : example.expectations) {
        line();
        expectation(each);
    }
    if (peek() == ";") {
        comments_before(tokens_.tokens[at_].begin);
    }
    layout_.dedent();
    end_of_test();
}

void FormatWriter::expectation(const Expectation& expectation) {
    token();
    layout_.open();
    token();
    layout_.indent();
    layout_.soft_break(false);
    if (expectation.path) {
        const auto segments = 1 + std::ranges::count(expectation.path->text, '.');
        tokens(static_cast<std::size_t>(2 * segments));
        layout_.soft_break();
    }
    token();  // the operator, the code or the id
    if (expectation.kind == Expectation::Kind::value) {
        layout_.space();
        this->expression(*std::get<Binary>(expectation.comparison->node).right);
    } else if (expectation.kind == Expectation::Kind::compliance) {
        token();
        layout_.soft_break();
        token();
    }
    layout_.dedent();
    layout_.soft_break(false);
    token();
    layout_.close();
    token();
}

void FormatWriter::declaration(const Property& property) {
    token();
    layout_.space();
    tokens(2);
    while (peek() != "=>") {
        layout_.space();
        if (peek() == "{") {
            fixtures(property.fixtures);
        } else {
            tokens(4);
        }
    }
    layout_.space();
    token();
    layout_.indent();
    layout_.hard_break();
    token();
    for (std::size_t i = 0; i < property.variables.size(); ++i) {
        if (i > 0) {
            token();
        }
        layout_.space();
        tokens(2);
        layout_.space();
        type(property.variables[i].type_syntax);
        if (property.variables[i].key) {
            tokens(3);
        }
    }
    layout_.space();
    token();
    layout_.indent();
    layout_.hard_break();
    expression(*property.body);
    token();
    layout_.dedent();
    layout_.dedent();
    end_of_test();
}

void FormatWriter::fixtures(const Fixtures& fixtures) {
    token();
    layout_.indent();
    auto fact = fixtures.facts.begin();
    while (peek() != "}") {
        if (peek() == ";") {
            skip(";");
            continue;
        }
        line();
        if (peek() == "fact") {
            fact_fixture(*fact++);
        } else if (peek() == "issued") {
            tokens(5);
        } else {
            tokens(4);
            layout_.space();
            tokens(3);
        }
    }
    comments_before(tokens_.tokens[at_].begin);
    layout_.dedent();
    layout_.hard_break();
    token();
}

void FormatWriter::fact_fixture(const FactFixture& fixture) {
    token();
    layout_.space();
    tokens(4);
    layout_.space();
    tokens(2);
    layout_.space();
    token();
    layout_.space();
    const auto written = Json::parse(source_.slice(fixture.payload_span));
    json(written.ok() ? *written : fixture.payload);
    last_end_ = fixture.payload_span.end;
    while (tokens_.tokens[at_].begin < fixture.payload_span.end) {
        ++at_;
    }
    comments_behind(tokens_.tokens[at_].begin);
    token();
}

void FormatWriter::json(const Json& value) {
    const auto* object = value.as_object();
    const auto* array = value.as_array();
    if (object == nullptr && array == nullptr) {
        return own(value.dump());
    }
    const bool empty = object != nullptr ? object->empty() : array->empty();
    layout_.open();
    layout_.word(object != nullptr ? "{" : "[");
    layout_.indent();
    const char* separator = "";
    const auto next = [this, &separator] {
        layout_.word(separator);
        layout_.soft_break(*separator != '\0');
        separator = ",";
    };
    if (object != nullptr) {
        for (const auto& [key, member] : *object) {
            next();
            own(json_quote(key) + ": ");
            json(member);
        }
    } else {
        for (const Json& item : *array) {
            next();
            json(item);
        }
    }
    layout_.dedent();
    if (!empty) {
        layout_.soft_break(false);
    }
    layout_.word(object != nullptr ? "}" : "]");
    layout_.close();
}

}  // namespace jobforge::rules
