// The server's programs and files: finding binaries, initdb, configuration, survivors.
// Private to src/pg.
#pragma once

#include <string>
#include <vector>

#include "localpg/cluster.h"
#include "localpg/cluster_home.h"

namespace jobforge::pg {

struct ServerBinaries {
    std::string bin_dir;
    std::string version;  // "15.10"
    int major = 0;
};

// The binaries for this cluster: of its own major version if it exists already, else the newest.
// Looks in options.bin_dir alone if set, else in pg_config's directory, /usr/lib/postgresql/*/bin,
// /usr/pgsql-*/bin and the PATH. CONFIG_MISSING if there are none; INVALID_TRANSITION if there are
// only other major versions than the cluster's.
[[nodiscard]] Result<ServerBinaries> find_binaries(const ClusterOptions& options,
                                                   const ClusterHome& home);

// initdb into a directory of another name, renamed when complete: a kill in the middle leaves no
// half cluster behind.
[[nodiscard]] Status create_cluster(const ServerBinaries& binaries, const ClusterHome& home);

// Writes jobforge.conf and pg_hba.conf.
[[nodiscard]] Status configure_server(const ClusterOptions& options, const ClusterHome& home,
                                      const std::string& socket_dir);

// Stops a postmaster that outlived its supervisor (SIGINT, then SIGQUIT) and removes a
// postmaster.pid whose pid now belongs to another program, which Postgres would take for a running
// server. Call with the supervisor's lock held.
[[nodiscard]] Status stop_survivor(const ClusterHome& home, std::chrono::milliseconds limit);

// The arguments, environment and user of the postmaster. The caller adds descriptors and signals.
[[nodiscard]] SpawnOptions postmaster_command(const ServerBinaries& binaries,
                                              const ClusterHome& home);

// The last lines of the server's log, for messages.
[[nodiscard]] std::string log_tail(const ClusterHome& home);

}  // namespace jobforge::pg
