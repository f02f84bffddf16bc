# Puts the API's description into the program, which serves it at /v1/openapi.yaml, and as a page for
# people at /docs. The generated sources answer src/api/pages/embedded_api.h.
set(openapi_yaml ${PROJECT_SOURCE_DIR}/src/api/openapi.yaml)
set(api_page ${PROJECT_BINARY_DIR}/generated/api_page.html)
add_custom_command(
    OUTPUT ${api_page}
    COMMAND ${Python3_EXECUTABLE} -B ${PROJECT_SOURCE_DIR}/cmake/api_page.py ${openapi_yaml}
            ${api_page}
    DEPENDS ${PROJECT_SOURCE_DIR}/cmake/api_page.py ${openapi_yaml}
    COMMENT "Writing the page of openapi.yaml"
    VERBATIM)

foreach(pair IN ITEMS "openapi_yaml ${openapi_yaml}" "api_page ${api_page}")
    separate_arguments(pair)
    list(GET pair 0 function)
    list(GET pair 1 text)
    set(embedded ${PROJECT_BINARY_DIR}/generated/embedded_${function}.cc)
    add_custom_command(
        OUTPUT ${embedded}
        COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/cmake/embed_text.py ${text}
                ${embedded} api/pages/embedded_api.h jobforge::api ${function}
        DEPENDS ${PROJECT_SOURCE_DIR}/cmake/embed_text.py ${PROJECT_SOURCE_DIR}/cmake/embed_sql.py
                ${text}
        COMMENT "Embedding ${function}"
        VERBATIM)
    if(TARGET jobforge_api)
        target_sources(jobforge_api PRIVATE ${embedded})
    endif()
endforeach()
