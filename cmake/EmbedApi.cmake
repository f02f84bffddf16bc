# Puts the API's description into the program, which serves it at /v1/openapi.yaml. The generated
# source answers src/api/embedded_api.h.
set(openapi_yaml ${PROJECT_SOURCE_DIR}/src/api/openapi.yaml)
set(embedded_api ${PROJECT_BINARY_DIR}/generated/embedded_api.cc)
add_custom_command(
    OUTPUT ${embedded_api}
    COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/cmake/embed_text.py ${openapi_yaml}
            ${embedded_api} api/embedded_api.h jobforge::api openapi_yaml
    DEPENDS ${PROJECT_SOURCE_DIR}/cmake/embed_text.py ${PROJECT_SOURCE_DIR}/cmake/embed_sql.py
            ${openapi_yaml}
    COMMENT "Embedding openapi.yaml"
    VERBATIM)
if(TARGET jobforge_api)
    target_sources(jobforge_api PRIVATE ${embedded_api})
endif()
