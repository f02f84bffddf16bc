#include "cli/serve/private_memory.h"

#include <sys/prctl.h>

namespace jobforge::cli {

// execve sets it again: what we start is dumpable as usual.
bool make_memory_private() noexcept {
    return ::prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) == 0;
}

}  // namespace jobforge::cli
