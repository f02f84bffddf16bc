#include "services/prices/cache_key.h"

#include "base/crypto/hash.h"

namespace jobforge::services {

std::string cache_key(const Uuid& tenant, const Uuid& source, const Json& how, const Query& query) {
    return Json::array({"prices-1", tenant.to_string(), source.to_string(), sha256_hex(how.dump()),
                        query.year, query.mintmark, query.denomination, query.series, query.title,
                        query.keywords})
        .dump();
}

}  // namespace jobforge::services
