# Puts sql/statements/<subject>/*.sql into C++ headers, "statements/<subject>.h". Written when cmake runs and not
# by a command of the build: clang-tidy and editors read the sources without building them.
file(GLOB_RECURSE JOBFORGE_STATEMENTS CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/sql/statements/*.sql)

set(statements_script ${PROJECT_SOURCE_DIR}/cmake/embed_statements.py)
set(statements_dir ${PROJECT_BINARY_DIR}/generated/statements)
execute_process(COMMAND ${Python3_EXECUTABLE} -B ${statements_script} ${PROJECT_SOURCE_DIR}/sql/statements
        ${statements_dir}/statements
    COMMAND_ERROR_IS_FATAL ANY)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${statements_script} ${JOBFORGE_STATEMENTS})
target_include_directories(jobforge_flags INTERFACE ${statements_dir})
