// Freed memory is kept for the next job instead of given back to the kernel.
#pragma once

#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace jobforge {

// For a program that makes and drops values of hundreds of kilobytes all the time: glibc maps and
// unmaps each of them, and the page faults were a twelfth of a passport's time in the worker. A
// thread keeps up to 16 MiB. Call it first in main().
inline void keep_freed_memory() noexcept {
#ifdef __GLIBC__
    // NOLINTBEGIN(concurrency-mt-unsafe): there is no other thread yet
    (void)mallopt(M_MMAP_THRESHOLD, 4 << 20);
    (void)mallopt(M_TRIM_THRESHOLD, 16 << 20);
    (void)mallopt(M_TOP_PAD, 1 << 20);
    // NOLINTEND(concurrency-mt-unsafe)
#endif
}

}  // namespace jobforge
