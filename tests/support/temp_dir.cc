#include "temp_dir.h"

#include <sys/stat.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>

namespace jobforge::test {

TempDir::TempDir() : path_(std::string(kTempDirPrefix) + "XXXXXX") {
    if (::mkdtemp(path_.data()) == nullptr || ::chmod(path_.c_str(), 0755) != 0) {
        std::perror("cannot make a temporary directory");
        std::abort();
    }
}

TempDir::~TempDir() {
    std::error_code code;
    std::filesystem::remove_all(path_, code);
}

}  // namespace jobforge::test
