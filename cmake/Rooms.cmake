# jobforge_room(NAME LINKS ...): the library of one folder in src/. Sources are found by folder, so
# that adding a file needs no edit here. Every room sees include/ and src/, links PRIVATE, and may
# only include the rooms it links (tests/house/arrows_test.py fails otherwise). A room without
# sources is not a target yet; links to it are left out.
#
# JOBFORGE_ROOMS lists the rooms that exist, lowest first.
set(JOBFORGE_ROOMS "")

# jobforge_existing_rooms(VAR LINK...): the links without the rooms that have no sources yet.
function(jobforge_existing_rooms result)
    set(existing "")
    foreach(link IN LISTS ARGN)
        if(TARGET ${link} OR NOT link MATCHES "^jobforge_")
            list(APPEND existing ${link})
        endif()
    endforeach()
    set(${result} ${existing} PARENT_SCOPE)
endfunction()

function(jobforge_room name)
    cmake_parse_arguments(ROOM "" "" "LINKS" ${ARGN})
    file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/${name}/*.cc)
    if(NOT sources)
        return()
    endif()
    jobforge_existing_rooms(links ${ROOM_LINKS})
    get_property(alone GLOBAL PROPERTY jobforge_compiled_alone)
    list(REMOVE_ITEM sources ${alone})
    jobforge_grouped(sources ${name} ${sources})
    list(FILTER alone INCLUDE REGEX "/src/${name}/")
    add_library(jobforge_${name} STATIC ${sources} ${alone})
    target_include_directories(jobforge_${name}
        PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
               $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>
        PRIVATE ${PROJECT_SOURCE_DIR}/src)
    # Our flags shape our own build only: a program that links the installed library keeps its own.
    target_link_libraries(jobforge_${name}
        PRIVATE $<BUILD_INTERFACE:jobforge_flags> $<BUILD_INTERFACE:jobforge_fortify> ${links})
    jobforge_precompile(jobforge_${name} ROOM)
    set_target_properties(jobforge_${name} PROPERTIES JOBFORGE_LINKS "${links}" EXPORT_NAME ${name})
    set(JOBFORGE_ROOMS ${JOBFORGE_ROOMS} ${name} PARENT_SCOPE)
endfunction()
