#include "cli/offline/passport_files.h"

#include <cerrno>
#include <filesystem>
#include <system_error>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

namespace jobforge::cli {
namespace {

Error cannot(std::string_view verb, const std::string& path, int reason) {
    return Error::of(
        ErrorCode::VALIDATION_ERROR,
        fmt::format("Cannot {} {}: {}.", verb, path, std::generic_category().message(reason)));
}

bool write_all(int file, std::string_view bytes) {
    while (!bytes.empty()) {
        const ssize_t written = ::write(file, bytes.data(), bytes.size());
        if (written < 0 && errno != EINTR) {
            return false;
        }
        if (written > 0) {
            bytes.remove_prefix(static_cast<std::size_t>(written));
        }
    }
    return ::fsync(file) == 0;
}

}  // namespace

Status write_new_file(const std::string& path, std::string_view bytes, unsigned mode) {
    const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    if (file < 0) {
        return cannot("make", path, errno);
    }
    const bool written = write_all(file, bytes);
    const int reason = errno;
    const bool closed = ::close(file) == 0;
    if (written && closed) {
        return ok_status();
    }
    (void)::unlink(path.c_str());
    return cannot("write", path, written ? errno : reason);
}

Status write_whole_file(const std::string& path, std::string_view bytes, unsigned mode) {
    const std::string beside = fmt::format("{}.{}.part", path, ::getpid());
    if (auto made = write_new_file(beside, bytes, mode); !made.ok()) {
        return made;
    }
    std::error_code fault;
    std::filesystem::rename(beside, path, fault);
    if (!fault) {
        return ok_status();
    }
    (void)::unlink(beside.c_str());
    return cannot("write", path, fault.value());
}

Status make_directory(const std::string& path) {
    std::error_code fault;
    std::filesystem::create_directories(path, fault);
    return fault ? Status(cannot("make the directory", path, fault.value())) : ok_status();
}

}  // namespace jobforge::cli
