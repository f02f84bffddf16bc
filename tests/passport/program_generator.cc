#include "program_generator.h"

#include <fmt/format.h>

#include "rules/test/generator_values.h"

namespace jobforge::rules {
namespace {

constexpr const char* kUnits[] = {
    "kg",  "g",    "kWh", "Wh",  "MWh", "gCO2e", "kgCO2e", "gCO2e_per_kWh", "kgCO2e_per_kWh",
    "Ah",  "mAh",  "A",   "V",   "mV",  "W",     "kW",     "ohm",           "degC",
    "pct", "each", "s",   "min", "h",   "day",   "month",  "year",          "cycle"};
constexpr int kScales[] = {0, 0, 1, 2, 3, 6, 6, 9, 18};

}  // namespace

Type ProgramGenerator::scalar_type() {
    switch (random_.below(8)) {
        case 0:
        case 1:
            return Type::integer();
        case 2:
            return Type::boolean();
        case 3:
            return Type::text();
        case 4:
            return Type::date();
        case 5:
            return Type::quantity(find_unit(pick(kUnits)));
        default:
            return Type::decimal(pick(kScales));
    }
}

Type ProgramGenerator::member_type() {
    switch (random_.below(8)) {
        case 0:
            return Type::optional(scalar_type());
        case 1:
            return Type::list(scalar_type());
        case 2:
            return Type::map(scalar_type());
        case 3:
            return Type::record({{"inner", scalar_type()}, {"other", scalar_type()}});
        default:
            return scalar_type();
    }
}

Type ProgramGenerator::any_type() {
    switch (random_.below(8)) {
        case 0:
            return Type::optional(scalar_type());
        case 1:
            return Type::list(scalar_type());
        case 2:
            return Type::list(Type::optional(scalar_type()));
        case 3:
            return fact_types_[random_.below(fact_types_.size())].type;
        default:
            return scalar_type();
    }
}

std::string ProgramGenerator::declare_fact(const std::string& name) {
    std::vector<TypeMember> members;
    std::string text = "fact " + name + " {";
    for (std::uint64_t i = 0; i < 1 + random_.below(5); ++i) {
        members.push_back({"m" + std::to_string(i), member_type()});
        text += fmt::format("{} {}: {}", i == 0 ? "" : ",", members.back().name,
                            members.back().type.notation());
    }
    fact_types_.push_back({name, Type::record(std::move(members))});
    return text + " }\n";
}

void ProgramGenerator::make_facts(const std::string& name, const Type& type,
                                  GeneratedProgram& program) {
    ValueGenerator values(random_);
    for (const char* key : {"a:1", "a:2", "b"}) {
        if (chance(4)) continue;
        Fact fact;
        fact.fact_type = name;
        fact.fact_key = key;
        fact.payload = *Json::parse(values.make(type).canonical());
        // Now and then of the wrong shape: a member of another kind, or none at all.
        if (chance(30)) fact.payload.set("m0", Json::array({Json(1), Json::object({{"x", "y"}})}));
        if (chance(60)) fact.payload = Json("no record");
        program.facts.push_back(std::move(fact));
    }
}

GeneratedProgram ProgramGenerator::make() {
    GeneratedProgram program;
    fact_types_.clear();
    for (const char* name : {"First", "Second"}) {
        program.declarations += declare_fact(name);
        make_facts(name, fact_types_.back().type, program);
    }
    Scope fields;
    const std::uint64_t count = 1 + random_.below(3);
    for (std::uint64_t i = 0; i < count; ++i) {
        const Type type = any_type();
        const std::string path = fmt::format("{}.f{}", chance(2) ? "x" : "y", i);
        const bool is_public = chance(3);
        std::string body = expression(type, fields, 2 + static_cast<int>(random_.below(4)));
        program.fields.push_back({fmt::format("field {}: {}{} = ", path, type.notation(),
                                              is_public ? " access(public)" : ""),
                                  std::move(body), expression(type, {}, 1), is_public});
        fields.push_back({"field(\"" + path + "\")", type});
    }
    program.source = program.declarations;
    for (const GeneratedField& field : program.fields) {
        program.source += field.head + field.body + ";\n";
    }
    return program;
}

}  // namespace jobforge::rules
