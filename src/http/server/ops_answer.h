// What the worker's own port answers, without the network: a method and a path in, an answer out.
#pragma once

#include <string>
#include <string_view>

#include "http/server/ops_server.h"

namespace jobforge::http {

struct OpsAnswer {
    int status = 200;
    std::string content_type = "application/json";
    std::string body;
    std::string allow = {};           // the Allow header of a 405
    std::string correlation_id = {};  // of errors: also in the body and in the log
};

// `target` may carry a query, which is ignored. Never throws: a failing callback is a 500.
[[nodiscard]] OpsAnswer answer_ops(const OpsServerOptions& options, std::string_view method,
                                   std::string_view target);

// The error envelope, with a fresh correlation id. `status` may be finer than the code's own.
[[nodiscard]] OpsAnswer ops_error(int status, ErrorCode code, std::string_view message);

}  // namespace jobforge::http
