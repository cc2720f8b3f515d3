# Installation: libraries, tools, headers, and the package that
# find_package(pgopt) reads. The tree may be moved: everything in it finds the
# rest by relative paths.

include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/pgopt)

foreach(library pgopt pgopt_runtime)
  set_target_properties(
    ${library} PROPERTIES INSTALL_RPATH "$ORIGIN;${PGOPT_LLVM_LIBRARY_DIR}")
  target_include_directories(
    ${library} INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
endforeach()
set_target_properties(pgopt_runtime PROPERTIES EXPORT_NAME runtime)

file(RELATIVE_PATH libraries_from_tools
     ${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_BINDIR}
     ${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_LIBDIR})
get_property(tools GLOBAL PROPERTY PGOPT_TOOLS)
foreach(tool ${tools})
  set_target_properties(
    ${tool} PROPERTIES INSTALL_RPATH
                       "$ORIGIN/${libraries_from_tools};${PGOPT_LLVM_LIBRARY_DIR}")
endforeach()

install(TARGETS pgopt pgopt_runtime ${tools} EXPORT pgoptTargets)
install(DIRECTORY include/pgopt TYPE INCLUDE)
install(EXPORT pgoptTargets NAMESPACE pgopt:: DESTINATION ${package_dir})
configure_package_config_file(cmake/pgoptConfig.cmake.in pgoptConfig.cmake
                              INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(pgoptConfigVersion.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/pgoptConfig.cmake
              ${PROJECT_BINARY_DIR}/pgoptConfigVersion.cmake
              cmake/PgoptMlir.cmake
        DESTINATION ${package_dir})
