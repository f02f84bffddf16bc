// Keeps this process's memory, where keys and secrets are, to itself.
#pragma once

namespace jobforge::cli {

// No core dump is written when the program crashes, and other processes of the same user can
// neither attach to it (ptrace) nor read its memory and environment in /proc. The superuser still
// can. Programs that it starts, such as the private Postgres, are as before. Once, early, before
// other threads exist. False if the system refuses.
[[nodiscard]] bool make_memory_private() noexcept;

}  // namespace jobforge::cli
