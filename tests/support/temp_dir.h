// A directory that disappears with its owner.
#pragma once

#include <string>

namespace jobforge::test {

// Below /tmp with a short name (unix sockets allow 107 bytes), enterable by other users: as root,
// the server's user must get in. Removed with everything in it on destruction.
class TempDir final {
public:
    TempDir();
    TempDir(const TempDir&) = delete;
    TempDir& operator=(const TempDir&) = delete;
    ~TempDir();
    [[nodiscard]] const std::string& path() const noexcept { return path_; }

private:
    std::string path_;
};

// What a TempDir's name starts with.
inline constexpr char kTempDirPrefix[] = "/tmp/jobforge-test-";

}  // namespace jobforge::test
