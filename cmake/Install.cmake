# `cmake --install`: the program, the public headers and the library. Users write
#     find_package(jobforge REQUIRED)
#     target_link_libraries(app PRIVATE jobforge::jobforge)
# The library is the rooms a Client and a Worker need; HTTP, CLI and brokers stay in the program.
include(CMakePackageConfigHelpers)

set(library_rooms "")
foreach(room base pg engine)
    if(TARGET jobforge_${room})
        list(APPEND library_rooms jobforge_${room})
    endif()
endforeach()
if(NOT TARGET jobforge_engine)
    return()
endif()

add_library(jobforge_library INTERFACE)
set_target_properties(jobforge_library PROPERTIES EXPORT_NAME jobforge)
target_link_libraries(jobforge_library INTERFACE ${library_rooms})
target_compile_features(jobforge_library INTERFACE cxx_std_20)
add_library(jobforge::jobforge ALIAS jobforge_library)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/jobforge)
install(TARGETS jobforge_library ${library_rooms}
    EXPORT jobforgeTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT library)
install(EXPORT jobforgeTargets NAMESPACE jobforge:: DESTINATION ${package_dir} COMPONENT library)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/jobforge
    DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT library
    FILES_MATCHING PATTERN "*.h" PATTERN "*.def")
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/jobforgeConfig.cmake.in
    ${PROJECT_BINARY_DIR}/generated/jobforgeConfig.cmake INSTALL_DESTINATION ${package_dir})
# Before 1.0 a minor release may change the interface.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/generated/jobforgeConfigVersion.cmake
    VERSION ${PROJECT_VERSION} COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/generated/jobforgeConfig.cmake
              ${PROJECT_BINARY_DIR}/generated/jobforgeConfigVersion.cmake
    DESTINATION ${package_dir} COMPONENT library)
# The second verifier of bundles: Python without anything else, so it needs no build.
install(PROGRAMS ${PROJECT_SOURCE_DIR}/tools/verify_bundle.py
    DESTINATION ${CMAKE_INSTALL_DATADIR}/jobforge/tools COMPONENT program)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/tools/bundle_verifier
    DESTINATION ${CMAKE_INSTALL_DATADIR}/jobforge/tools COMPONENT program
    FILES_MATCHING PATTERN "*.py")
if(TARGET jobforge)
    install(TARGETS jobforge RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT program)
endif()
