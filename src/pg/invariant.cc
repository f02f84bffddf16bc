#include "pg/invariant.h"

#include <cstdio>
#include <cstdlib>

namespace jobforge::pg {

void broken_invariant(std::string_view what) noexcept {
    std::fprintf(stderr, "jobforge: broken invariant: %.*s\n", static_cast<int>(what.size()),
                 what.data());
    std::abort();
}

}  // namespace jobforge::pg
