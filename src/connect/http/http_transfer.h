// One request on one libcurl handle, from the first option to the classified end. Internal to the
// HTTP transport: http_request.h is the way in.
#pragma once

#include <stop_token>
#include <string>
#include <vector>

#include <jobforge/error.h>

#include "connect/guard/address_guard.h"
#include "connect/guard/url_check.h"
#include "connect/http/http_request.h"
#include "connect/http/http_slot.h"

namespace jobforge::connect {

// Whether method and headers can be sent as they are: a line break in a value would be a header, or
// a second request, of the tenant's making. VALIDATION_ERROR says which.
[[nodiscard]] Status check_sendable(const HttpRequest& request);

struct HttpTransfer {
    const HttpRequest& request;
    const HttpOptions& options;
    const AddressGuard& guard;
    const CheckedUrl& url;
    const std::vector<IpAddress>& addresses;  // of url.host, judged: the only ones to dial
    Deadline deadline;
};

// As HttpClient::send, without the checks that come before. `slot` can be used again afterwards,
// whatever happened.
[[nodiscard]] Result<HttpResponse> run_transfer(HttpSlot& slot, const HttpTransfer& transfer,
                                                const std::stop_token& stop);

}  // namespace jobforge::connect
