// Preloaded into a program (LD_PRELOAD): while the file JOBFORGE_TEST_NAMES_HANG exists, looking up
// a host name takes for ever, as it does with a name server that does not answer. With
// JOBFORGE_TEST_NAMES_HANG_BELOW only names that end in it do.
#include <dlfcn.h>
#include <netdb.h>
#include <unistd.h>

#include <cstdlib>
#include <string_view>

extern "C" int getaddrinfo(const char* node, const char* service, const addrinfo* hints,
                           addrinfo** found) {
    using Function = int (*)(const char*, const char*, const addrinfo*, addrinfo**);
    static const auto real = reinterpret_cast<Function>(::dlsym(RTLD_NEXT, "getaddrinfo"));
    static const char* const sign = std::getenv("JOBFORGE_TEST_NAMES_HANG");
    static const char* const below = std::getenv("JOBFORGE_TEST_NAMES_HANG_BELOW");
    const bool meant =
        node != nullptr && (below == nullptr || std::string_view(node).ends_with(below));
    while (meant && sign != nullptr && ::access(sign, F_OK) == 0) {
        ::pause();
    }
    return real(node, service, hints, found);
}
