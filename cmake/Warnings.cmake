# Warnings are errors; hardening follows the OpenSSF compiler guide for C and C++.
add_library(jobforge_flags INTERFACE)
target_compile_options(jobforge_flags INTERFACE
    -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wold-style-cast
    -Wnon-virtual-dtor -Woverloaded-virtual -Wcast-align -Wnull-dereference -Wformat=2
    -Wimplicit-fallthrough -Werror
    -fstack-protector-strong -fstack-clash-protection -fno-omit-frame-pointer
    $<$<STREQUAL:${CMAKE_SYSTEM_PROCESSOR},x86_64>:-fcf-protection=full>)
if(JOBFORGE_SANITIZE)
    target_compile_options(jobforge_flags INTERFACE
        -fsanitize=${JOBFORGE_SANITIZE} -fno-sanitize-recover=all -Wno-null-dereference)
    target_link_options(jobforge_flags INTERFACE -fsanitize=${JOBFORGE_SANITIZE})
else()
    # g++ 12 reports false null dereferences inside libstdc++ when it inlines at -O2.
    target_compile_options(jobforge_flags INTERFACE -Wno-null-dereference)
    target_compile_options(jobforge_flags INTERFACE
        $<$<NOT:$<CONFIG:Debug>>:-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3>)
endif()
if(JOBFORGE_COVERAGE)
    # Threads count into the same lines: without atomic updates the numbers are wrong or negative.
    target_compile_options(jobforge_flags INTERFACE --coverage -fprofile-update=atomic)
    target_link_options(jobforge_flags INTERFACE --coverage)
endif()
target_compile_definitions(jobforge_flags INTERFACE _GLIBCXX_ASSERTIONS)
target_link_options(jobforge_flags INTERFACE -Wl,-z,relro -Wl,-z,now -Wl,-z,noexecstack)
