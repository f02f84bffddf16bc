#include "connect/http/http_answer.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text/trimmed.h"

namespace jobforge::connect {

namespace {

std::string lower(std::string_view text) {
    std::string result(text);
    std::transform(result.begin(), result.end(), result.begin(), [](char c) {
        return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    });
    return result;
}

}  // namespace

bool HttpAnswer::take_line(std::string_view line) {
    header_bytes_ += line.size();
    ++header_count_;
    if (header_bytes_ > request_.max_header_bytes || header_count_ > request_.max_headers) {
        fault_ = fmt::format("the answer has more than {} bytes or {} lines of headers",
                             request_.max_header_bytes, request_.max_headers);
        return false;
    }
    if (!body_started_ && line.starts_with("HTTP/")) {  // after a 1xx answer, the next one
        response_.headers.clear();
        headers_complete_ = false;
    } else if (trimmed(line, kBlankBytes).empty()) {
        headers_complete_ = true;
    } else if (!headers_complete_) {
        take_header(line);
        if (!announces_one_length()) {
            fault_ = "the answer announces no single length";
            return false;
        }
    }
    return true;
}

bool HttpAnswer::announces_one_length() const {
    if (response_.headers.empty() || response_.headers.back().first != "content-length") {
        return true;
    }
    const std::string& value = response_.headers.back().second;
    const bool digits =
        !value.empty() && value.find_first_not_of("0123456789") == std::string::npos;
    return digits && response_.header("content-length") == value;
}

void HttpAnswer::take_header(std::string_view line) {
    const bool folded = line.starts_with(' ') || line.starts_with('\t');
    if (folded && !response_.headers.empty()) {  // RFC 9112, 5.2: one blank for the line's end
        response_.headers.back().second.append(" ").append(trimmed(line, kBlankBytes));
        return;
    }
    const std::size_t colon = line.find(':');
    if (colon != std::string_view::npos) {
        response_.headers.emplace_back(lower(line.substr(0, colon)),
                                       trimmed(line.substr(colon + 1), kBlankBytes));
    }
}

bool HttpAnswer::take_body(std::string_view piece) {
    body_started_ = true;
    const std::size_t room = request_.max_response_bytes - response_.body.size();
    response_.body.append(piece.substr(0, room));
    response_.truncated = piece.size() > room;
    return !response_.truncated;
}

}  // namespace jobforge::connect
