// Processor time, of this program and of the server's processes on the same machine. Who else is
// busy changes it less than the clock on the wall, but not nothing: caches are shared. Compare
// figures of one machine under one load.
#pragma once

#include <map>
#include <string>

#include "pg/connection.h"

namespace jobforge::bench {

class CpuUse final {
public:
    // Starts counting. `watcher` is asked for the server's processes and must outlive this.
    explicit CpuUse(pg::Connection& watcher);

    // Seconds since then.
    [[nodiscard]] double program_seconds() const;
    // The same of the server's processes that are there now (connections that were closed
    // meanwhile are missing), by application or kind of process. Empty when it runs elsewhere.
    [[nodiscard]] std::map<std::string, double> server_seconds() const;

private:
    pg::Connection& watcher_;
    double program_begun_;
    std::map<int, double> server_begun_;  // by process id
};

}  // namespace jobforge::bench
