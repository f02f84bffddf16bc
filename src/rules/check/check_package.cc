// The front door: read, collect the declarations, check them in the order in which they need each
// other.
#include <map>
#include <utility>

#include <fmt/format.h>

#include "rules/check/checker.h"
#include "rules/syntax/parser.h"

namespace jobforge::rules {

namespace {

// Takes declarations into the package; names that are taken already are reported and left out.
class Collector final {
public:
    explicit Collector(CheckContext& context) noexcept : context_(context) {}

    void collect(Module module, bool tests_only) {
        for (Declaration& declaration : module.declarations) {
            std::visit([this, tests_only](auto& each) { take(std::move(each), tests_only); },
                       declaration);
        }
    }

private:
    void take(FactDeclaration fact, bool tests_only) {
        if (tests_only) {
            return refuse(fact.name, "fact");
        }
        CheckedPackage& package = context_.package();
        const auto [at, is_new] = package.fact_index.emplace(fact.name.text, package.facts.size());
        if (!is_new) {
            return report_twice("fact", fact.name, package.facts[at->second].name);
        }
        if (parse_type(fact.name.text) || fact.name.text == "Dec" || fact.name.text == "Qty" ||
            fact.name.text == "Opt" || fact.name.text == "List" || fact.name.text == "Map" ||
            fact.name.text == "Record") {
            context_.type_error(fact.name.span,
                                fmt::format("{} is a type of the language", fact.name.text),
                                "give the fact another name");
        }
        package.facts.push_back(std::move(fact));
    }

    void take(FieldDeclaration field, bool tests_only) {
        if (tests_only) {
            return refuse(field.path, "field");
        }
        CheckedPackage& package = context_.package();
        const auto [at, is_new] =
            package.field_index.emplace(field.path.text, package.fields.size());
        if (!is_new) {
            return report_twice("field", field.path, package.fields[at->second].path);
        }
        package.fields.push_back(std::move(field));
    }

    void take(Example example, bool /*tests_only*/) {
        if (is_new_test(example.name)) {
            context_.package().examples.push_back(std::move(example));
        }
    }

    void take(Property property, bool /*tests_only*/) {
        if (is_new_test(property.name)) {
            context_.package().properties.push_back(std::move(property));
        }
    }

    bool is_new_test(const Name& name) {
        const auto [at, is_new] = tests_.emplace(name.text, name.span);
        if (!is_new) {
            report_twice("test", name, Name{name.text, at->second});
        }
        return is_new;
    }

    void report_twice(std::string_view what, const Name& name, const Name& first) {
        context_.type_error(name.span, fmt::format("the {} {} is declared twice", what, name.text),
                            fmt::format("the first stands in {}; remove or rename one",
                                        context_.line_of(first.span)));
    }

    void refuse(const Name& name, std::string_view what) {
        context_.type_error(name.span, fmt::format("a {} cannot stand among the tests", what),
                            "move it to the rules; a source of tests has examples and properties");
    }

    CheckContext& context_;
    std::map<std::string, Span, std::less<>> tests_;
};

}  // namespace

Position CheckedPackage::position(const Span& span) const {
    return sources[span.source].position(span.begin);
}

CheckOutcome check_package(SourceText rules, std::optional<SourceText> tests,
                           CheckOptions options) {
    CheckOutcome outcome;
    auto package = std::make_shared<CheckedPackage>();
    package->sources.push_back(std::move(rules));
    if (tests) {
        package->sources.push_back(*std::move(tests));
    }
    outcome.sources = package->sources;
    CheckContext context(*package, outcome.diagnostics);
    context.set_options(options);
    Collector collector(context);
    bool readable = true;
    std::size_t syntax_errors = 0;
    for (std::uint32_t number = 0; number < package->sources.size(); ++number) {
        const std::size_t before = outcome.diagnostics.count();
        auto parsed = parse(package->sources[number], number, outcome.diagnostics);
        syntax_errors += outcome.diagnostics.count() - before;
        readable = readable && parsed;
        if (parsed) {
            collector.collect(std::move(parsed->module), number > 0);
        }
    }
    // A declaration that could not be read is missing: what names it is not at fault.
    context.set_incomplete(syntax_errors > 0);
    if (readable) {
        resolve_facts(context);
        check_fields(context);
        check_tests(context);
    }
    outcome.diagnostics.sort();
    if (outcome.diagnostics.empty()) {
        outcome.package = std::move(package);
    }
    return outcome;
}

}  // namespace jobforge::rules
