// For main() of small programs and examples: the value, or the end of the program.
//
//     auto client = or_exit(jobforge::Client::connect(options));
//
// An error is written to standard error as one line, with what to do about it, and the program ends
// with exit code 1. A service should look at the Error instead: it says whether to try again.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <utility>

#include <jobforge/error.h>

namespace jobforge {

template <typename T>
T or_exit(Result<T> result) {
    if (!result.ok()) {
        std::fputs((result.error().describe() + "\n").c_str(), stderr);
        std::exit(1);
    }
    return std::move(result).value();
}

}  // namespace jobforge
