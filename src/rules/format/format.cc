#include "rules/format/format.h"

#include <algorithm>
#include <utility>

#include "rules/format/format_expression.h"
#include "rules/format/format_writer.h"
#include "rules/syntax/parser.h"

namespace jobforge::rules {

namespace {

// Declarations, types and tests. The tree says where lines may break.
class SourceFormatter final {
public:
    SourceFormatter(const SourceText& source, const Tokens& tokens) noexcept
        : source_(source), words_(source, tokens), expressions_(words_) {}

    [[nodiscard]] std::string write(const Module& module);

private:
    void declaration(const FactDeclaration& fact);
    void declaration(const FieldDeclaration& field);
    void declaration(const Example& example);
    void declaration(const Property& property);
    void type(const TypeSyntax& type);
    void expectation(const Expectation& expectation);
    void fixtures(const Fixtures& fixtures);
    void fact_fixture(const FactFixture& fixture);
    void json(const Json& value);
    void end_of_test();

    const SourceText& source_;
    FormatWriter words_;
    ExpressionFormatter expressions_;
};

std::string SourceFormatter::write(const Module& module) {
    for (const Declaration& each : module.declarations) {
        while (words_.peek() == ";") {
            words_.skip(";");
        }
        words_.layout().blank_line();
        std::visit([this](const auto& found) { declaration(found); }, each);
    }
    while (words_.peek() == ";") {
        words_.skip(";");
    }
    return words_.finish();
}

void SourceFormatter::declaration(const FactDeclaration& fact) {
    words_.token();
    words_.layout().space();
    words_.token();
    words_.layout().space();
    words_.token();
    words_.layout().open();
    words_.layout().indent();
    for (std::size_t i = 0; i < fact.members.size(); ++i) {
        if (fact.members.size() > 1) {
            words_.line();
        } else {
            words_.layout().soft_break();
        }
        words_.tokens(2);
        words_.layout().space();
        type(*fact.members[i].type);
        if (i + 1 < fact.members.size()) {
            words_.token();
        } else {
            words_.skip(",");
        }
    }
    words_.comments_here();
    words_.layout().dedent();
    if (!fact.members.empty()) {
        words_.layout().soft_break();
    }
    words_.token();
    words_.layout().close();
}

void SourceFormatter::type(const TypeSyntax& type) {
    words_.token();
    if (type.number || type.unit) {
        return words_.tokens(3);
    }
    if (type.name.text == "Map") {
        words_.tokens(3);
        words_.layout().space();
        this->type(*type.inner.front().type);
        return words_.token();
    }
    if (type.name.text == "Record") {
        return words_.bracketed(type.inner, ")", [this](const TypeSyntaxMember& member) {
            words_.tokens(2);
            words_.layout().space();
            this->type(*member.type);
        });
    }
    if (!type.inner.empty()) {
        words_.token();
        this->type(*type.inner.front().type);
        words_.token();
    }
}

void SourceFormatter::declaration(const FieldDeclaration& field) {
    words_.token();
    words_.layout().space();
    const auto segments = 1 + std::ranges::count(field.path.text, '.');
    words_.tokens(static_cast<std::size_t>(2 * segments - 1));
    words_.token();
    words_.layout().space();
    type(field.type_syntax);
    words_.layout().space();
    if (field.access != Access::restricted) {
        words_.tokens(4);
        words_.layout().space();
    }
    words_.token();
    expressions_.body(*field.body);
    words_.token();
}

// The `;` of the test, on a line of its own.
void SourceFormatter::end_of_test() {
    words_.layout().hard_break();
    if (words_.peek() == ";") {
        words_.token();
    } else {
        words_.own(";");
    }
}

void SourceFormatter::declaration(const Example& example) {
    words_.token();
    words_.layout().space();
    words_.tokens(2);
    words_.layout().space();
    fixtures(example.fixtures);
    words_.layout().space();
    words_.token();
    words_.layout().indent();
    for (const Expectation& each : example.expectations) {
        words_.line();
        expectation(each);
    }
    if (words_.peek() == ";") {
        words_.comments_here();
    }
    words_.layout().dedent();
    end_of_test();
}

void SourceFormatter::expectation(const Expectation& expectation) {
    words_.token();
    words_.layout().open();
    words_.token();
    words_.layout().indent();
    words_.layout().soft_break(false);
    if (expectation.path) {
        const auto segments = 1 + std::ranges::count(expectation.path->text, '.');
        words_.tokens(static_cast<std::size_t>(2 * segments));
        words_.layout().soft_break();
    }
    words_.token();  // the operator, the code or the id
    if (expectation.kind == Expectation::Kind::value) {
        words_.layout().space();
        expressions_.expression(*std::get<Binary>(expectation.comparison->node).right);
    } else if (expectation.kind == Expectation::Kind::compliance) {
        words_.token();
        words_.layout().soft_break();
        words_.token();
    }
    words_.layout().dedent();
    words_.layout().soft_break(false);
    words_.token();
    words_.layout().close();
    words_.token();
}

void SourceFormatter::declaration(const Property& property) {
    words_.token();
    words_.layout().space();
    words_.tokens(2);
    while (words_.peek() != "=>") {
        words_.layout().space();
        if (words_.peek() == "{") {
            fixtures(property.fixtures);
        } else {
            words_.tokens(4);
        }
    }
    words_.layout().space();
    words_.token();
    words_.layout().indent();
    words_.layout().hard_break();
    words_.token();
    for (std::size_t i = 0; i < property.variables.size(); ++i) {
        if (i > 0) {
            words_.token();
        }
        words_.layout().space();
        words_.tokens(2);
        words_.layout().space();
        type(property.variables[i].type_syntax);
        if (property.variables[i].key) {
            words_.tokens(3);
        }
    }
    words_.layout().space();
    words_.token();
    words_.layout().indent();
    words_.layout().hard_break();
    expressions_.expression(*property.body);
    words_.token();
    words_.layout().dedent();
    words_.layout().dedent();
    end_of_test();
}

void SourceFormatter::fixtures(const Fixtures& fixtures) {
    words_.token();
    words_.layout().indent();
    auto fact = fixtures.facts.begin();
    while (words_.peek() != "}") {
        if (words_.peek() == ";") {
            words_.skip(";");
            continue;
        }
        words_.line();
        if (words_.peek() == "fact") {
            fact_fixture(*fact++);
        } else if (words_.peek() == "issued") {
            words_.tokens(5);
        } else {
            words_.tokens(4);
            words_.layout().space();
            words_.tokens(3);
        }
    }
    words_.comments_here();
    words_.layout().dedent();
    words_.layout().hard_break();
    words_.token();
}

void SourceFormatter::fact_fixture(const FactFixture& fixture) {
    words_.token();
    words_.layout().space();
    words_.tokens(4);
    words_.layout().space();
    words_.tokens(2);
    words_.layout().space();
    words_.token();
    words_.layout().space();
    const auto written = Json::parse(source_.slice(fixture.payload_span));
    json(written.ok() ? *written : fixture.payload);
    words_.skip_to(fixture.payload_span.end);
    words_.token();
}

void SourceFormatter::json(const Json& value) {
    const auto* object = value.as_object();
    const auto* array = value.as_array();
    if (object == nullptr && array == nullptr) {
        return words_.own(value.dump());
    }
    const bool empty = object != nullptr ? object->empty() : array->empty();
    words_.layout().open();
    words_.layout().word(object != nullptr ? "{" : "[");
    words_.layout().indent();
    const char* separator = "";
    const auto next = [this, &separator] {
        words_.layout().word(separator);
        words_.layout().soft_break(*separator != '\0');
        separator = ",";
    };
    if (object != nullptr) {
        for (const auto& [key, member] : *object) {
            next();
            words_.own(json_quote(key) + ": ");
            json(member);
        }
    } else {
        for (const Json& item : *array) {
            next();
            json(item);
        }
    }
    words_.layout().dedent();
    if (!empty) {
        words_.layout().soft_break(false);
    }
    words_.layout().word(object != nullptr ? "}" : "]");
    words_.layout().close();
}

}  // namespace

std::optional<std::string> format(const SourceText& source, Diagnostics& diagnostics) {
    const std::size_t before = diagnostics.count();
    const auto parsed = parse(source, 0, diagnostics);
    if (!parsed || diagnostics.count() > before) {
        return std::nullopt;
    }
    return SourceFormatter(source, parsed->tokens).write(parsed->module);
}

}  // namespace jobforge::rules
