# Puts the example package's files into the program, so that `jobforge demo` needs no files beside
# it. The generated source answers src/cli/demo/embedded_example.h.
set(example_dir ${PROJECT_SOURCE_DIR}/examples/battery-eu)
set(example_files battery-eu.rules battery-eu.tests documents/ev.json products/ev.json)
list(TRANSFORM example_files PREPEND ${example_dir}/ OUTPUT_VARIABLE example_paths)
set(embedded_example ${PROJECT_BINARY_DIR}/generated/embedded_example.cc)
add_custom_command(
    OUTPUT ${embedded_example}
    COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/cmake/embed_example.py ${example_dir}
            ${embedded_example} ${example_files}
    DEPENDS ${PROJECT_SOURCE_DIR}/cmake/embed_example.py ${PROJECT_SOURCE_DIR}/cmake/embed_sql.py
            ${example_paths}
    COMMENT "Embedding examples/battery-eu"
    VERBATIM)
if(TARGET jobforge_cli)
    target_sources(jobforge_cli PRIVATE ${embedded_example})
endif()
