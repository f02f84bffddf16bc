#include "http/parse/head_scan.h"

#include <algorithm>

namespace jobforge::http {

std::size_t HeadScan::find_end(std::string_view buffer) {
    const std::size_t end = std::min(buffer.size(), limits_.bytes);
    for (; seen_ < end && refusal_.status == 0; ++seen_) {
        const char c = buffer[seen_];
        if (c == '\0') {
            refusal_ = {400, "the request's head holds a NUL"};
        } else if (seen_ > line_ && buffer[seen_ - 1] == '\r' && c != '\n') {
            refusal_ = {400, "the request's head holds a CR without LF"};
        } else if (c == '\n') {
            if (seen_ == line_ || buffer[seen_ - 1] != '\r') {
                refusal_ = {400, "the request's head holds a LF without CR"};
            } else if (seen_ == line_ + 1) {
                return ++seen_;
            } else if (++lines_ > limits_.count + 1) {
                refusal_ = {431, "the request has too many headers"};
            }
            line_ = seen_ + 1;
        }
    }
    if (refusal_.status == 0 && seen_ == limits_.bytes) {
        refusal_ = lines_ == 0 ? HeadRefusal{414, "the request's target is too long"}
                               : HeadRefusal{431, "the request's headers are too large"};
    }
    return 0;
}

}  // namespace jobforge::http
