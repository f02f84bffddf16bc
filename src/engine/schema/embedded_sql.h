// The SQL files of sql/, as they were when the program was built.
//
// The texts live in the program's read-only data: the views never dangle and may be shared between
// threads. Both tables are sorted by name, in byte order; a name is the file's path below its
// folder ("0001_schema.sql", "jobs/enqueue_job.sql"). Nothing can fail.
#pragma once

#include <span>
#include <string_view>

namespace jobforge::engine {

struct EmbeddedFile {
    std::string_view name;
    std::string_view text;
};

// sql/migrations/*.sql, in the order in which they apply.
[[nodiscard]] std::span<const EmbeddedFile> embedded_migrations() noexcept;
// sql/functions/**/*.sql.
[[nodiscard]] std::span<const EmbeddedFile> embedded_functions() noexcept;

}  // namespace jobforge::engine
