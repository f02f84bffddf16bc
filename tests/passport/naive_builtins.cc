// The built-ins of the naive evaluator, by name.
#include <algorithm>
#include <regex>

#include "naive_walker.h"
#include "values/pattern.h"

namespace jobforge::naive {

namespace ast = rules;

namespace {

bool gs1(const std::string& text) {
    const std::size_t n = text.size();
    if (n != 8 && n != 12 && n != 13 && n != 14 && n != 17 && n != 18) return false;
    int sum = 0;
    for (std::size_t i = 0; i < n; ++i) {
        if (text[i] < '0' || text[i] > '9') return false;
        sum += (text[i] - '0') * ((n - i) % 2 == 0 ? 3 : 1);
    }
    return sum % 10 == 0;
}

std::string text_of(const Datum& value) {
    std::string json = value.json();
    if (value.kind != Datum::Kind::quantity) {
        return json.starts_with('"') ? json.substr(1, json.size() - 2) : json;
    }
    Datum plain = value;
    plain.kind = Datum::Kind::decimal;
    json = plain.json();
    std::string number = json.substr(1, json.size() - 2);
    while (number.back() == '0') number.pop_back();
    if (number.back() == '.') number.pop_back();
    return number + " " + value.text;
}

Datum to_dec(const std::vector<Datum>& arguments) {
    const int scale = std::stoi(arguments[0].number.text());
    const std::string mode = arguments.size() > 2 ? arguments[2].text : "half_even";
    if (arguments[1].kind != Datum::Kind::text) {
        return Datum::decimal(arguments[1].ratio(), scale, mode);
    }
    Ratio value;
    int written = 0;
    if (!read_decimal(arguments[1].text, value, written)) return {};
    if (value.top.digit_count() > 38) throw Failure{"NUMBER_OVERFLOW"};
    return Datum::decimal(value, scale, mode);
}

// Of any size: only what is made of it has at most 38 digits.
Ratio sum(const Datum& list) {
    Ratio total;
    for (const Datum& item : list.items) total = total + item.ratio();
    return total;
}

// How often a list can be halved, and once more.
unsigned long long halvings(std::size_t count) {
    unsigned long long times = 1;
    while (count /= 2) ++times;
    return times;
}

}  // namespace

Datum Walker::call(const Call& node, const Expression& /*at*/, const Scope& scope) {
    const std::string name = node.function.text;
    if (name == "getFact" || name == "getFactsByPrefix") return facts(name, node, scope);
    if (std::holds_alternative<Lambda>(node.arguments.back()->node)) {
        return with_lambda(name, node, scope);
    }
    std::vector<Datum> arguments;
    for (const auto& argument : node.arguments) arguments.push_back(walk(*argument, scope));
    return plain(name, arguments);
}

Datum Walker::facts(const std::string& name, const Call& node, const Scope& scope) {
    const std::string type_name =
        std::get<std::string>(std::get<Literal>(node.arguments[0]->node).value);
    if (name == "getFactsByPrefix") walk(*node.arguments[0], scope);
    const std::string key = walk(*node.arguments[1], scope).text;
    pay({}, key.size() / 16);
    const auto& type = package_.facts[package_.fact_index.at(type_name)].type;
    std::map<std::string, Datum> found;
    for (const auto& fact : inputs_.facts.all()) {
        const bool wanted =
            name == "getFact" ? fact.fact_key == key : fact.fact_key.substr(0, key.size()) == key;
        if (fact.fact_type == type_name && wanted) {
            found[fact.fact_key] = shape(&fact.payload, type);
            if (name == "getFactsByPrefix") pay({}, fact.fact_key.size() / 16);
        }
    }
    Datum list = Datum::list({});
    for (const auto& [each, value] : found) list.items.push_back(value);
    if (name == "getFactsByPrefix") return pay(list, list.size());
    const Datum one = list.items.empty() ? Datum() : list.items[0];
    return pay(one, one.size());
}

Datum Walker::with_lambda(const std::string& name, const Call& node, const Scope& scope) {
    const auto& lambda = std::get<Lambda>(node.arguments.back()->node);
    const Datum list = walk(*node.arguments[0], scope);
    Datum result = Datum::list({});
    if (name == "fold") result = walk(*node.arguments[1], scope);
    if (name == "any" || name == "all") result = Datum::boolean(name == "all");
    for (const Datum& item : list.items) {
        if (name == "any" && result.flag) break;
        if (name == "all" && !result.flag) break;
        Scope inner = scope;
        if (name == "fold") inner[lambda.parameters[0].name.text] = result;
        inner[lambda.parameters.back().name.text] = pay(item, 1);
        const Datum value = walk(*lambda.body, inner);
        if (name == "map") result.items.push_back(value);
        if (name == "filter" && value.flag) result.items.push_back(item);
        if (name != "map" && name != "filter") result = value;
    }
    const bool makes = name == "map" || name == "filter";
    return pay(result, makes ? result.size() : 1);
}

Datum Walker::plain(const std::string& name, const std::vector<Datum>& arguments) {
    const Datum& first = arguments[0];
    if (name == "emitCompliance") {
        pay({}, first.size() + arguments[1].size() + arguments[2].size());
        const std::vector<std::string> statuses{"PASS", "FAIL", "WARN", "PENDING",
                                                "NOT_APPLICABLE"};
        if (std::find(statuses.begin(), statuses.end(), arguments[1].text) == statuses.end()) {
            throw Failure{"VALIDATION_ERROR"};
        }
        compliance.push_back({first.text, arguments[1].text, arguments[2].text});
        return Datum::boolean(arguments[1].text != "FAIL");
    }
    if (name == "toText") {
        const Datum text = Datum::of_text(text_of(first));
        return pay(text, text.size());
    }
    if (name == "sort") {
        pay({}, first.size() * halvings(first.items.size()));
    } else if (name == "contains") {
        pay({}, first.size());
    } else if (name == "matches") {
        pay({}, first.size() * Pattern::compile(arguments[1].text)->weight());
    } else if (name == "startsWith") {
        pay({}, std::min(first.size(), arguments[1].size()));
    } else if (name == "recordGet") {
        pay({}, arguments[1].size());
    } else if (name == "sumDec" || name == "sumQty" || name == "toDec") {
        pay({}, arguments[1].size());
    } else {
        pay({}, 1);
    }
    if (name == "recordGet") {
        const auto found = first.members.find(arguments[1].text);
        return found == first.members.end() ? Datum() : found->second;
    }
    if (name == "some") return first;
    if (name == "declassify") return arguments[1];
    if (name == "isSome") {
        for (const Datum& each : arguments) {
            if (each.kind == Datum::Kind::none) return Datum::boolean(false);
        }
        return Datum::boolean(true);
    }
    if (name == "unwrapOr") return first.kind == Datum::Kind::none ? arguments[1] : first;
    if (name == "requireSome") {
        if (first.kind == Datum::Kind::none) throw Failure{arguments[1].text};
        return first;
    }
    if (name == "count") return Datum::integer(static_cast<long long>(first.items.size()));
    if (name == "sort") {
        Datum sorted = first;
        std::stable_sort(sorted.items.begin(), sorted.items.end(),
                         [](const Datum& a, const Datum& b) { return order(a, b) < 0; });
        return sorted;
    }
    if (name == "contains" && first.kind == Datum::Kind::list) {
        return Datum::boolean(std::any_of(first.items.begin(), first.items.end(),
                                          [&](const Datum& x) { return equal(x, arguments[1]); }));
    }
    if (name == "contains") {
        return Datum::boolean(first.text.find(arguments[1].text) != std::string::npos);
    }
    if (name == "startsWith") {
        return Datum::boolean(first.text.rfind(arguments[1].text, 0) == 0);
    }
    if (name == "matches") {
        static std::map<std::string, std::regex> compiled;
        const auto [place, is_new] = compiled.try_emplace(arguments[1].text, arguments[1].text);
        return Datum::boolean(std::regex_search(first.text, place->second));
    }
    if (name == "gs1CheckDigit") return Datum::boolean(gs1(first.text));
    return numbers(name, arguments);
}

Datum Walker::numbers(const std::string& name, const std::vector<Datum>& arguments) {
    const Datum& first = arguments[0];
    if (name == "year") return Datum::integer(first.day.year);
    if (name == "month") return Datum::integer(first.day.month);
    if (name == "day") return Datum::integer(first.day.day);
    if (name == "addDays") {
        const Big moved = Big(day_number(first.day)) + arguments[1].number;
        const Big last(day_number({9999, 12, 31}));
        if (moved.is_negative() || compare(moved, last) > 0) throw Failure{"NUMBER_OVERFLOW"};
        return Datum::date(day_of(std::stoll(moved.text())));
    }
    const Datum& second = arguments[1];
    if (name == "toDec") return to_dec(arguments);
    if (name == "toQty") return Datum::quantity(second.ratio(), first.text);
    if (name == "convert") {
        return Datum::quantity(second.ratio() * unit_factor(second.text) / unit_factor(first.text),
                               first.text);
    }
    if (name == "sumDec") {
        return Datum::decimal(sum(second), std::stoi(first.number.text()));
    }
    if (name != "sumQty") throw Failure{"no built-in " + name};
    if (second.items.empty()) return Datum::quantity({}, first.text);
    const Ratio total = sum(second) * unit_factor(second.items[0].text);
    return Datum::quantity(total / unit_factor(first.text), first.text);
}

}  // namespace jobforge::naive
