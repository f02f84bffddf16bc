// A wrong source and what people are told about it, to the letter.
#pragma once

#include <ostream>

#include <gtest/gtest.h>

#include "rules_support.h"

namespace jobforge::rules {

struct DiagnosticCase {
    const char* name;
    const char* rules;
    const char* tests;  // nullptr: none
    const char* expected;

    friend void PrintTo(const DiagnosticCase& given, std::ostream* out) { *out << given.name; }
};

class DiagnosticTest : public testing::TestWithParam<DiagnosticCase> {};

}  // namespace jobforge::rules
