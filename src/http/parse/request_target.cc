#include "http/parse/request_target.h"

#include <algorithm>
#include <optional>

#include "base/text/hex_digit.h"
#include "base/text/utf8.h"

namespace jobforge::http {

namespace {

// RFC 3986: pchar and the slash, without the percent sign.
bool may_stand_in_path(char c) noexcept {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("/-._~!$&'()*+,;=:@").find(c) != std::string_view::npos;
}

// The byte that "%XX" at the beginning of `text` stands for.
std::optional<char> percent_byte(std::string_view text) noexcept {
    if (text.size() < 3) {
        return std::nullopt;
    }
    const int high = hex_digit_value(text[1]);
    const int low = hex_digit_value(text[2]);
    if (high < 0 || low < 0) {
        return std::nullopt;
    }
    return static_cast<char>(high * 16 + low);
}

bool is_control(char c) noexcept {
    return static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
}

bool has_dot_segment(std::string_view path) noexcept {
    while (!path.empty()) {
        path.remove_prefix(1);  // its slash
        const std::string_view segment = path.substr(0, path.find('/'));
        if (segment == "." || segment == "..") {
            return true;
        }
        path.remove_prefix(segment.size());
    }
    return false;
}

// What is wrong with the path, if anything; writes it decoded.
std::string_view decode_path(std::string_view text, std::string& path) {
    path.reserve(text.size());
    for (std::size_t i = 0; i < text.size(); ++i) {
        char c = text[i];
        if (c == '%') {
            const auto byte = percent_byte(text.substr(i));
            if (!byte) {
                return "the path has a % that two hex digits do not follow";
            }
            if (*byte == '/' || *byte == '\\' || is_control(*byte)) {
                return "the path holds an encoded slash, backslash or control character";
            }
            c = *byte;
            i += 2;
        } else if (!may_stand_in_path(c)) {
            return "the path holds a character that must be percent-encoded";
        }
        path += c;
    }
    if (utf8_first_fault(path) != std::string_view::npos) {
        return "the decoded path is not UTF-8";
    }
    if (has_dot_segment(path)) {
        return "the path must not have . or .. segments";
    }
    return {};
}

std::string_view decode_part(std::string_view text, std::string& part) {
    part.reserve(text.size());
    for (std::size_t i = 0; i < text.size(); ++i) {
        char c = text[i];
        if (c == '%') {
            const auto byte = percent_byte(text.substr(i));
            if (!byte) {
                return "the query has a % that two hex digits do not follow";
            }
            c = *byte;
            i += 2;
        } else if (c == '+') {
            c = ' ';
        }
        if (c == '\0') {
            return "the query holds an encoded NUL";
        }
        part += c;
    }
    return utf8_first_fault(part) == std::string_view::npos ? std::string_view()
                                                            : "the decoded query is not UTF-8";
}

std::string_view decode_query(std::string_view text,
                              std::vector<std::pair<std::string, std::string>>& query) {
    while (!text.empty()) {
        const std::string_view piece = text.substr(0, text.find('&'));
        text.remove_prefix(std::min(text.size(), piece.size() + 1));
        if (piece.empty()) {
            continue;
        }
        auto& [name, value] = query.emplace_back();
        const std::size_t equals = piece.find('=');
        if (const auto fault = decode_part(piece.substr(0, equals), name); !fault.empty()) {
            return fault;
        }
        if (equals == std::string_view::npos) {
            continue;
        }
        if (const auto fault = decode_part(piece.substr(equals + 1), value); !fault.empty()) {
            return fault;
        }
    }
    return {};
}

}  // namespace

DecodedTarget decode_target(std::string_view target) {
    DecodedTarget decoded;
    const std::size_t question = target.find('?');
    const std::string_view path = target.substr(0, question);
    if (!path.starts_with('/')) {
        decoded.fault = "the path must begin with /";
        return decoded;
    }
    decoded.fault = decode_path(path, decoded.path);
    if (decoded.fault.empty() && question != std::string_view::npos) {
        decoded.fault = decode_query(target.substr(question + 1), decoded.query);
    }
    return decoded;
}

}  // namespace jobforge::http
