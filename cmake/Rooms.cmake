# jobforge_room(NAME LINKS ...): the library of one folder in src/. Sources are found by folder, so
# that adding a file needs no edit here. Every room sees include/ and src/, links PRIVATE, and may
# only include the rooms it links (tests/house/arrows_test.py fails otherwise).
function(jobforge_room name)
    cmake_parse_arguments(ROOM "" "" "LINKS" ${ARGN})
    file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/${name}/*.cc)
    if(NOT sources)
        return()
    endif()
    add_library(jobforge_${name} STATIC ${sources})
    target_include_directories(jobforge_${name}
        PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:include>
        PRIVATE ${PROJECT_SOURCE_DIR}/src)
    target_link_libraries(jobforge_${name} PRIVATE jobforge_flags ${ROOM_LINKS})
endfunction()
