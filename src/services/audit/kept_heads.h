// The last head that was signed over each tenant's log, kept outside of the database.
//
// One file a tenant, <directory>/<tenant id>.head: the signed note itself, so that it can be given
// to `jobforge audit verify --head` as it is. Replaced as a whole and synced to the disk: a reader
// sees the old note or the new one, also after a crash. Written after the commit that stored the
// head, never before: a file may be older than the database and never newer.
//
// A copy stays in memory, for a directory that cannot be written and for a file that was
// removed while the process runs. Threads: any.
#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <string>

#include <jobforge/error.h>
#include <jobforge/uuid.h>

namespace jobforge::services {

class KeptHeads final {
public:
    // The directory is made with the first head. Empty: in memory only.
    explicit KeptHeads(std::string directory) : directory_(std::move(directory)) {}

    // The note; nullopt: none is kept. CONFIG_MISSING if there is a file that cannot be read: that
    // is not the same as none.
    [[nodiscard]] Result<std::optional<std::string>> find(const Uuid& tenant) const;
    // CONFIG_MISSING with the reason; the memory has it all the same.
    [[nodiscard]] Status store(const Uuid& tenant, const std::string& note);
    // Where the tenant's head is, for messages.
    [[nodiscard]] std::string file_of(const Uuid& tenant) const;

private:
    const std::string directory_;
    mutable std::mutex mutex_;
    std::map<Uuid, std::string> notes_;
};

}  // namespace jobforge::services
