// The tree walk of the naive evaluator. Throws Failure.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "naive_value.h"
#include "rules/eval/evaluator.h"

namespace jobforge::naive {

using Scope = std::map<std::string, Datum>;
using rules::Binary;
using rules::Block;
using rules::Call;
using rules::Expression;
using rules::Lambda;
using rules::Literal;
using rules::Unary;

class Walker final {
public:
    Walker(const rules::CheckedPackage& package, const rules::Inputs& inputs,
           unsigned long long budget)
        : package_(package), inputs_(inputs), budget_(budget) {}

    Datum walk(const Expression& expression, const Scope& scope);

    std::map<std::string, Datum> fields;
    std::vector<rules::ComplianceEntry> compliance;
    unsigned long long steps = 0;

private:
    Datum pay(Datum made, unsigned long long steps);
    Datum literal(const Literal& node, const Expression& at);
    Datum block(const Block& node, Scope scope);
    Datum unary(const Unary& node, const Scope& scope);
    Datum binary(const Binary& node, const Expression& at, const Scope& scope);
    Datum compared(const Binary& node, const Datum& left, const Datum& right);
    Datum arithmetic(const Binary& node, const Expression& at, const Datum& left,
                     const Datum& right);
    Datum call(const Call& node, const Expression& at, const Scope& scope);
    Datum with_lambda(const std::string& name, const Call& node, const Scope& scope);
    Datum facts(const std::string& name, const Call& node, const Scope& scope);
    Datum numbers(const std::string& name, const std::vector<Datum>& arguments);
    Datum plain(const std::string& name, const std::vector<Datum>& arguments);

    const rules::CheckedPackage& package_;
    const rules::Inputs& inputs_;
    unsigned long long budget_;
};

}  // namespace jobforge::naive
