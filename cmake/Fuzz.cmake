# One libFuzzer program per tests/fuzz/*_fuzz.cc, in fuzzers/ of the build directory.
if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    message(FATAL_ERROR "fuzzing needs clang: cmake --preset fuzz")
endif()
# The rooms that read foreign bytes; none of them needs a database.
jobforge_existing_rooms(rooms jobforge_passport jobforge_rules jobforge_verify jobforge_audit jobforge_connect
    jobforge_values jobforge_base)
file(GLOB fuzzers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/fuzz/*_fuzz.cc)
add_custom_target(jobforge_fuzzers)
foreach(source IN LISTS fuzzers)
    get_filename_component(name ${source} NAME_WE)
    add_executable(${name} ${source})
    target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/src)
    target_link_libraries(${name} PRIVATE jobforge_flags ${rooms})
    target_link_options(${name} PRIVATE -fsanitize=fuzzer)
    add_dependencies(jobforge_fuzzers ${name})
    set_target_properties(${name} PROPERTIES
        RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/fuzzers)
endforeach()

# The reader of requests is pure, but its room is not: its files without the room and the database.
set(JOBFORGE_REQUEST_SOURCES body_reader.cc chunked_body.cc head_scan.cc http_message.cc http_text.cc
    request_head_check.cc request_target.cc)
list(TRANSFORM JOBFORGE_REQUEST_SOURCES PREPEND ${PROJECT_SOURCE_DIR}/src/http/parse/)
target_sources(request_head_fuzz PRIVATE ${JOBFORGE_REQUEST_SOURCES})
