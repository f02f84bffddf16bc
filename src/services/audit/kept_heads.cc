#include "services/audit/kept_heads.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <system_error>

#include <fmt/format.h>

#include "services/secrets/secret_file.h"

namespace jobforge::services {

namespace {

Error file_error(std::string_view what, const std::string& path) {
    return Error::of(
        ErrorCode::CONFIG_MISSING,
        fmt::format("cannot {} {}: {}", what, path, std::generic_category().message(errno)));
}

bool write_all(int fd, std::string_view text) {
    while (!text.empty()) {
        const ssize_t written = ::write(fd, text.data(), text.size());
        if (written < 0 && errno != EINTR) {
            return false;
        }
        text.remove_prefix(written < 0 ? 0 : static_cast<std::size_t>(written));
    }
    return ::fsync(fd) == 0;
}

// The name is on the disk only when its directory is.
bool sync_directory(const std::string& directory) {
    const int fd = ::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) {
        return false;
    }
    const bool synced = ::fsync(fd) == 0;
    ::close(fd);
    return synced;
}

Status replace_file(const std::string& directory, const std::string& path, std::string_view text) {
    std::error_code failed;
    std::filesystem::create_directories(directory, failed);
    std::string beside = path + ".new-XXXXXX";
    const int fd = ::mkostemp(beside.data(), O_CLOEXEC);
    if (fd < 0) {
        return file_error("make", beside);
    }
    const bool written = write_all(fd, text);
    const bool closed = ::close(fd) == 0;
    if (!written || !closed || ::rename(beside.c_str(), path.c_str()) != 0 ||
        !sync_directory(directory)) {
        Error error = file_error("write", path);
        ::unlink(beside.c_str());
        return error;
    }
    return ok_status();
}

}  // namespace

std::string KeptHeads::file_of(const Uuid& tenant) const {
    return directory_.empty() ? std::string("the head kept in memory")
                              : fmt::format("{}/{}.head", directory_, tenant.to_string());
}

Result<std::optional<std::string>> KeptHeads::find(const Uuid& tenant) const {
    const std::lock_guard lock(mutex_);
    if (!directory_.empty()) {
        auto note = read_secret_file(file_of(tenant));
        if (note.ok()) {
            return std::optional(*std::move(note));
        }
        if (note.error().code != ErrorCode::NOT_FOUND) {
            return std::move(note).error();
        }
    }
    const auto found = notes_.find(tenant);
    return found == notes_.end() ? std::optional<std::string>() : std::optional(found->second);
}

Status KeptHeads::store(const Uuid& tenant, const std::string& note) {
    const std::lock_guard lock(mutex_);
    notes_[tenant] = note;
    return directory_.empty() ? ok_status() : replace_file(directory_, file_of(tenant), note);
}

}  // namespace jobforge::services
