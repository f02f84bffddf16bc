# jobforge_grouped(VAR FOLDER SOURCE...): files that include the sources, several each, or the sources
# themselves without JOBFORGE_UNITY. Parsing headers is most of what a C++ build does.
#
# Two sources that use the same name for themselves never share a group (unity_groups.py), so a source needs no
# care for its neighbours. Groups are formed when cmake runs: a build that says "redefinition" after an edit
# wants `cmake --preset ...` again, which ./dev always does. clang's build and clang-tidy compile each source
# alone, so that one that forgets an include is still found.
function(jobforge_grouped result folder)
    if(NOT JOBFORGE_UNITY)
        set(${result} ${ARGN} PARENT_SCOPE)
        return()
    endif()
    set(script ${PROJECT_SOURCE_DIR}/cmake/unity_groups.py)
    execute_process(COMMAND ${Python3_EXECUTABLE} -B ${script} ${PROJECT_BINARY_DIR}/unity/${folder} ${ARGN}
        OUTPUT_VARIABLE groups COMMAND_ERROR_IS_FATAL ANY)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${script})
    set(${result} ${groups} PARENT_SCOPE)
endfunction()
