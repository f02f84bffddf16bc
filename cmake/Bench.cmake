# jobforge_bench: all of bench/*.cc, at the top of the build directory; run by ./dev bench.
# jobforge_json_bench: bench/json/*.cc, run by ./dev bench json. It alone may use other JSON libraries.
# jobforge_rules_bench: bench/rules/*.cc, run by ./dev bench rules.
# jobforge_passports_bench: bench/passports/*.cc, run by ./dev bench passports.
# jobforge_webhooks_bench: bench/webhooks/*.cc, run by ./dev bench webhooks.
# jobforge_api_bench: bench/api/*.cc, run by ./dev bench api.
file(GLOB bench_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/bench/*.cc)
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

find_package(simdjson REQUIRED)
find_package(nlohmann_json REQUIRED)
file(GLOB json_bench_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/bench/json/*.cc)
add_executable(jobforge_json_bench ${json_bench_sources})
target_include_directories(jobforge_json_bench
    PRIVATE ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/bench)
target_link_libraries(jobforge_json_bench
    PRIVATE jobforge_flags jobforge_fortify jobforge_base fmt::fmt simdjson::simdjson
            nlohmann_json::nlohmann_json)
set_target_properties(jobforge_json_bench
    PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})

file(GLOB rules_bench_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/bench/rules/*.cc)
add_executable(jobforge_rules_bench ${rules_bench_sources})
target_include_directories(jobforge_rules_bench PRIVATE ${PROJECT_SOURCE_DIR}/src)
target_link_libraries(jobforge_rules_bench
    PRIVATE jobforge_flags jobforge_fortify jobforge_passport jobforge_rules jobforge_verify jobforge_values jobforge_base fmt::fmt)
set_target_properties(jobforge_rules_bench
    PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})

add_executable(jobforge_passports_bench
    ${PROJECT_SOURCE_DIR}/bench/passports/passports_bench.cc
    ${PROJECT_SOURCE_DIR}/bench/passports/cpu_use.cc
    ${PROJECT_SOURCE_DIR}/bench/bench_world.cc)
target_include_directories(jobforge_passports_bench
    PRIVATE ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/bench)
target_link_libraries(jobforge_passports_bench
    PRIVATE jobforge_flags jobforge_fortify jobforge_services jobforge_engine jobforge_localpg jobforge_pg
            PostgreSQL::PostgreSQL fmt::fmt Threads::Threads)
set_target_properties(jobforge_passports_bench
    PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})

add_executable(jobforge_webhooks_bench
    ${PROJECT_SOURCE_DIR}/bench/webhooks/webhooks_bench.cc
    ${PROJECT_SOURCE_DIR}/bench/webhooks/receiver.cc
    ${PROJECT_SOURCE_DIR}/bench/passports/cpu_use.cc
    ${PROJECT_SOURCE_DIR}/bench/bench_world.cc)
target_include_directories(jobforge_webhooks_bench
    PRIVATE ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/bench)
target_link_libraries(jobforge_webhooks_bench
    PRIVATE jobforge_flags jobforge_fortify jobforge_services jobforge_connect jobforge_engine jobforge_pg
            PostgreSQL::PostgreSQL fmt::fmt Threads::Threads)
set_target_properties(jobforge_webhooks_bench
    PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})

# Its processes and its attackers are those of the tests.
file(GLOB api_bench_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/bench/api/*.cc)
add_executable(jobforge_api_bench ${api_bench_sources}
    ${PROJECT_SOURCE_DIR}/tests/support/child_process.cc
    ${PROJECT_SOURCE_DIR}/tests/support/http_attack.cc
    ${PROJECT_SOURCE_DIR}/bench/bench_world.cc)
target_include_directories(jobforge_api_bench
    PRIVATE ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/bench ${PROJECT_SOURCE_DIR}/tests/support)
target_compile_definitions(jobforge_api_bench
    PRIVATE JOBFORGE_PROGRAM="${PROJECT_BINARY_DIR}/jobforge")
target_link_libraries(jobforge_api_bench
    PRIVATE jobforge_flags jobforge_fortify jobforge_engine jobforge_pg jobforge_base
            PostgreSQL::PostgreSQL fmt::fmt Threads::Threads)
set_target_properties(jobforge_api_bench
    PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})
