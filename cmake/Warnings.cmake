# jobforge_flags: warnings are errors; hardening follows the OpenSSF compiler guide for C and C++.
# jobforge_fortify: the part of the hardening that needs an optimised build; for what is shipped.
# -Wnull-dereference is left out: g++ 12 reports false ones inside libstdc++ when it inlines at -O2.
add_library(jobforge_flags INTERFACE)
target_compile_options(jobforge_flags INTERFACE
    -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wold-style-cast
    -Wnon-virtual-dtor -Woverloaded-virtual -Wcast-align -Wformat=2 -Wimplicit-fallthrough -Werror
    -fstack-protector-strong -fstack-clash-protection -fno-omit-frame-pointer
    # No path of the build machine in the program, and one compiler cache for all clones.
    -ffile-prefix-map=${PROJECT_SOURCE_DIR}=.
    # libstdc++ 12 uses its own deprecated parts, and clang says so where g++ keeps quiet.
    $<$<CXX_COMPILER_ID:Clang>:-Wno-deprecated-declarations>
    # g++ 12 cannot see through std::variant below -O2 and calls its members uninitialized.
    $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>
    $<$<STREQUAL:${CMAKE_SYSTEM_PROCESSOR},x86_64>:-fcf-protection=full>)
if(JOBFORGE_SANITIZE)
    target_compile_options(jobforge_flags INTERFACE
        -fsanitize=${JOBFORGE_SANITIZE} -fno-sanitize-recover=all)
    target_link_options(jobforge_flags INTERFACE -fsanitize=${JOBFORGE_SANITIZE})
endif()
if(JOBFORGE_COVERAGE)
    # Threads count into the same lines: without atomic updates the numbers are wrong or negative.
    target_compile_options(jobforge_flags INTERFACE --coverage -fprofile-update=atomic)
    target_link_options(jobforge_flags INTERFACE --coverage)
endif()
target_compile_definitions(jobforge_flags INTERFACE _GLIBCXX_ASSERTIONS)
target_link_options(jobforge_flags INTERFACE -Wl,-z,relro -Wl,-z,now -Wl,-z,noexecstack)

# Fortified functions hide their calls from the sanitizers.
add_library(jobforge_fortify INTERFACE)
if(NOT JOBFORGE_SANITIZE)
    target_compile_options(jobforge_fortify INTERFACE
        $<$<NOT:$<CONFIG:Debug>>:-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3>)
endif()
