# The program: main() and the wiring, the only place that links every room. It lies at the top of
# the build directory, so that a release build leaves it at build/jobforge.
file(GLOB_RECURSE app_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/app/*.cc)
if(NOT app_sources)
    return()
endif()
add_executable(jobforge ${app_sources})
target_include_directories(jobforge PRIVATE ${PROJECT_SOURCE_DIR}/src)
list(TRANSFORM JOBFORGE_ROOMS PREPEND jobforge_ OUTPUT_VARIABLE rooms)
list(REVERSE rooms)
target_link_libraries(jobforge
    PRIVATE jobforge_flags jobforge_fortify ${rooms} PostgreSQL::PostgreSQL fmt::fmt
            Threads::Threads)
set_target_properties(jobforge PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})
