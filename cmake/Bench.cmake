# jobforge_bench: all of bench/*.cc, at the top of the build directory; run by ./dev bench.
file(GLOB_RECURSE bench_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/bench/*.cc)
if(NOT bench_sources)
    return()
endif()
list(TRANSFORM JOBFORGE_ROOMS PREPEND jobforge_ OUTPUT_VARIABLE rooms)
list(REVERSE rooms)
add_executable(jobforge_bench ${bench_sources})
target_include_directories(jobforge_bench
    PRIVATE ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/bench)
target_compile_definitions(jobforge_bench PRIVATE JOBFORGE_PROGRAM="${PROJECT_BINARY_DIR}/jobforge")
target_link_libraries(jobforge_bench
    PRIVATE jobforge_flags jobforge_fortify ${rooms} PostgreSQL::PostgreSQL fmt::fmt
            Threads::Threads)
set_target_properties(jobforge_bench PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})
