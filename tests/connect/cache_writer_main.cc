// Writes to a cache until it is killed: `cache_writer FILE KEY FROM`. Every value says which one it
// is and how long it must be, so that half a value cannot pass for a whole one.
#include <cstdio>
#include <cstdlib>
#include <string>

#include "cache_value.h"
#include "connect/cache/cache.h"

int main(int argc, char** argv) {
    using namespace jobforge::connect;
    if (argc != 4) {
        return 2;
    }
    ResponseCache cache({argv[1], std::uint64_t{64} << 20, std::chrono::seconds(20), {}});
    for (int n = std::atoi(argv[3]);; ++n) {
        if (!cache.put(argv[2], test_support::cache_value(n), std::chrono::hours(1)).ok()) {
            return 1;
        }
        std::printf("%d\n", n);
        std::fflush(stdout);
    }
}
