#include "workloads/prices/cache_key.h"

#include "core/hash.h"

namespace jobforge::workloads {

std::string cache_key(const Uuid& tenant, const Uuid& source, const Json& how, const Query& query) {
    return Json::array({"prices-1", tenant.to_string(), source.to_string(), sha256_hex(how.dump()),
                        query.year, query.mintmark, query.denomination, query.series, query.title,
                        query.keywords})
        .dump();
}

}  // namespace jobforge::workloads
