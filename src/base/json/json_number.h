// The number grammar of RFC 8259, section 6, without a value: digits are kept, never converted.
#pragma once

namespace jobforge {

struct NumberScan {
    const char* end;    // behind the last character of the number, or where the fault is
    const char* fault;  // what is wrong at `end`; nullptr if a number was read
};

// Reads the longest number at `at`. What follows it is the caller's business.
[[nodiscard]] inline NumberScan scan_number(const char* at, const char* end) noexcept {
    const auto digit_at = [&at, end] { return at != end && *at >= '0' && *at <= '9'; };
    const auto skip_digits = [&at, &digit_at] {
        while (digit_at()) {
            ++at;
        }
    };
    if (at != end && *at == '-') {
        ++at;
    }
    if (!digit_at()) {
        return {at, "a number needs a digit here"};
    }
    if (*at == '0') {
        ++at;
        if (digit_at()) {
            return {at, "a number has no leading zeros"};
        }
    } else {
        skip_digits();
    }
    if (at != end && *at == '.') {
        ++at;
        if (!digit_at()) {
            return {at, "a digit must follow the decimal point"};
        }
        skip_digits();
    }
    if (at != end && (*at == 'e' || *at == 'E')) {
        ++at;
        if (at != end && (*at == '+' || *at == '-')) {
            ++at;
        }
        if (!digit_at()) {
            return {at, "a digit must follow the exponent sign"};
        }
        skip_digits();
    }
    return {at, nullptr};
}

}  // namespace jobforge
