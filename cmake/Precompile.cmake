# jobforge_precompile(TARGET KIND): the headers that nearly every file includes, parsed once a build
# and not once a file: a quarter of the compiler's time. KIND is ROOM or TEST.
#
# Only in the presets of g++ builds. A plain build, clang's and clang-tidy's go without, so that a
# file that forgets an include is still found. Two sets, because a precompiled header fits only what
# is compiled with the same flags: rooms (-fPIC, optimised) and tests (-fPIE, -O0).

set(jobforge_common_headers
    <algorithm> <array> <atomic> <chrono> <cstdint> <filesystem> <functional> <map> <memory> <mutex>
    <optional> <span> <string> <string_view> <thread> <utility> <variant> <vector> <fmt/format.h>)

# The targets that own a set; they hold no code.
function(jobforge_precompiled_owners)
    if(NOT JOBFORGE_PRECOMPILE)
        return()
    endif()
    set(empty ${PROJECT_BINARY_DIR}/generated/precompiled_headers.cc)
    file(CONFIGURE OUTPUT ${empty} CONTENT "int main() { return 0; }\n")
    add_library(jobforge_room_headers STATIC ${empty})
    target_link_libraries(jobforge_room_headers PRIVATE jobforge_flags jobforge_fortify fmt::fmt)
    # ccache asks for the last flag.
    target_compile_options(jobforge_room_headers PRIVATE -fpch-preprocess)
    target_precompile_headers(jobforge_room_headers PRIVATE ${jobforge_common_headers})
    if(JOBFORGE_TESTS)
        find_package(GTest REQUIRED)
        add_executable(jobforge_test_headers ${empty})
        target_link_libraries(jobforge_test_headers
            PRIVATE jobforge_flags GTest::gtest GTest::gmock fmt::fmt)
        target_compile_options(jobforge_test_headers PRIVATE -fpch-preprocess)
        jobforge_test_options(jobforge_test_headers)
        target_precompile_headers(jobforge_test_headers
            PRIVATE ${jobforge_common_headers} <gtest/gtest.h> <gmock/gmock.h>)
    endif()
endfunction()

function(jobforge_precompile target kind)
    if(NOT JOBFORGE_PRECOMPILE)
        return()
    endif()
    string(TOLOWER ${kind} kind)
    target_compile_options(${target} PRIVATE -fpch-preprocess)
    target_precompile_headers(${target} REUSE_FROM jobforge_${kind}_headers)
endfunction()

# The test code itself is not worth optimising, nor UBSan's checks: half the time to compile it.
function(jobforge_test_options target)
    target_compile_options(${target} PRIVATE -O0)
    if(JOBFORGE_SANITIZE)
        target_compile_options(${target} PRIVATE -fno-sanitize=undefined)
    endif()
endfunction()
