// One outgoing call's secret: where it goes, and how it stays out of everything that is kept.
#pragma once

#include <string>
#include <string_view>

#include <jobforge/error.h>
#include <jobforge/json.h>

#include "base/text/redact.h"
#include "connect/http/outgoing_message.h"

namespace jobforge::services {

// The header that carries a secret. `auth` is the payload's member, which the schema has checked:
//   {"type":"bearer","secret_ref"}               Authorization: Bearer SECRET
//   {"type":"basic","secret_ref","username"?}    Authorization: Basic base64(username:SECRET), or
//                                                of SECRET alone, which is then user:password
//   {"type":"header","secret_ref","header"}      HEADER: SECRET
// JOB_PAYLOAD_INVALID if a member is missing or belongs to another type. Pure.
[[nodiscard]] Result<std::pair<std::string, std::string>> auth_header(const Json& auth,
                                                                      std::string_view secret);

// Sets a header, in place of any of that name.
void replace_header(connect::HttpHeaders& headers, std::pair<std::string, std::string> header);

// Blanks out the secret, what the header says, and both in base64 as a peer could echo them.
[[nodiscard]] Redactor redactor_of(std::string_view secret, std::string_view header_value = "");

}  // namespace jobforge::services
