#include "services/secrets/secret_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <system_error>

#include <fmt/format.h>

#include "base/text/base64.h"

namespace jobforge::services {

namespace {

constexpr std::size_t kMostBytes = 65536;
constexpr std::size_t kSecretBytes = 32;

class Descriptor final {
public:
    explicit Descriptor(int fd) noexcept : fd_(fd) {}
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    ~Descriptor() {
        if (fd_ >= 0) {
            ::close(fd_);
        }
    }
    [[nodiscard]] int get() const noexcept { return fd_; }

private:
    const int fd_;
};

Error file_error(std::string_view what, const std::string& path) {
    return Error::of(
        ErrorCode::CONFIG_MISSING,
        fmt::format("cannot {} {}: {}", what, path, std::generic_category().message(errno)));
}

Status write_whole(const Descriptor& file, const std::string& path, std::string_view text) {
    while (!text.empty()) {
        const ssize_t written = ::write(file.get(), text.data(), text.size());
        if (written < 0 && errno != EINTR) {
            return file_error("write", path);
        }
        text.remove_prefix(written < 0 ? 0 : static_cast<std::size_t>(written));
    }
    return ::fsync(file.get()) == 0 ? ok_status() : Status(file_error("write", path));
}

// Written beside it and linked into place: the name never shows half a secret, and of two makers
// the first wins.
Status make_secret(const std::string& path) {
    auto secret = random_bytes(kSecretBytes);
    if (!secret.ok()) {
        return std::move(secret).error();
    }
    std::string beside = path + ".new-XXXXXX";
    {
        const Descriptor file(::mkostemp(beside.data(), O_CLOEXEC));  // for its owner only
        if (file.get() < 0) {
            return file_error("make", beside);
        }
        if (auto written = write_whole(file, beside, base64_encode(*secret) + "\n");
            !written.ok()) {
            ::unlink(beside.c_str());
            return written;
        }
    }
    const int linked = ::link(beside.c_str(), path.c_str());
    const int reason = errno;
    ::unlink(beside.c_str());
    errno = reason;
    return linked == 0 || reason == EEXIST ? ok_status() : Status(file_error("make", path));
}

}  // namespace

Result<std::string> random_bytes(std::size_t count) {
    std::string bytes(count, '\0');
    if (::getentropy(bytes.data(), bytes.size()) != 0) {
        return Error::of(ErrorCode::CONFIG_MISSING, "the system gives no random bytes");
    }
    return bytes;
}

Result<std::string> read_secret_file(const std::string& path) {
    const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (file.get() < 0) {
        Error error = file_error("read", path);
        if (errno == ENOENT) {
            error.code = ErrorCode::NOT_FOUND;
        }
        return error;
    }
    std::string text;
    std::array<char, 4096> buffer{};
    for (;;) {
        const ssize_t got = ::read(file.get(), buffer.data(), buffer.size());
        if (got == 0) {
            return text;
        }
        if (got < 0 && errno != EINTR) {
            return file_error("read", path);
        }
        text.append(buffer.data(), got < 0 ? 0 : static_cast<std::size_t>(got));
        if (text.size() > kMostBytes) {
            return Error::of(ErrorCode::CONFIG_MISSING,
                             fmt::format("{} is too large for a secret", path));
        }
    }
}

Result<std::string> read_or_make_secret(const std::string& path) {
    auto text = read_secret_file(path);
    if (text.ok() || text.error().code != ErrorCode::NOT_FOUND) {
        return text;
    }
    if (auto made = make_secret(path); !made.ok()) {
        return std::move(made).error();
    }
    return read_secret_file(path);
}

}  // namespace jobforge::services
