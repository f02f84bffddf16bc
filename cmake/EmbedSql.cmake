# Puts sql/migrations/*.sql and sql/functions/**/*.sql into the program, so that `jobforge migrate`
# needs no files beside it. The generated source answers src/engine/schema/embedded_sql.h.
file(GLOB JOBFORGE_MIGRATIONS CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/sql/migrations/*.sql)
file(GLOB_RECURSE JOBFORGE_FUNCTIONS CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/sql/functions/*.sql)

# A file that is moved or removed keeps its time: the list of names is what changes.
set(sql_names ${PROJECT_BINARY_DIR}/generated/sql_names.txt)
file(CONFIGURE OUTPUT ${sql_names} CONTENT "${JOBFORGE_MIGRATIONS};${JOBFORGE_FUNCTIONS}\n")

set(embedded_sql ${PROJECT_BINARY_DIR}/generated/embedded_sql.cc)
add_custom_command(
    OUTPUT ${embedded_sql}
    COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/cmake/embed_sql.py
            ${PROJECT_SOURCE_DIR}/sql ${embedded_sql}
    DEPENDS ${PROJECT_SOURCE_DIR}/cmake/embed_sql.py ${sql_names} ${JOBFORGE_MIGRATIONS}
            ${JOBFORGE_FUNCTIONS}
    COMMENT "Embedding sql/"
    VERBATIM)
if(TARGET jobforge_engine)
    target_sources(jobforge_engine PRIVATE ${embedded_sql})
endif()
