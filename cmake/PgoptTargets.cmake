# One function for each kind of target; source lists are explicit.

# Settings that every target of ours shares.
function(pgopt_configure target)
  set_target_properties(
    ${target}
    PROPERTIES C_STANDARD 17
               C_STANDARD_REQUIRED ON
               CXX_STANDARD 17
               CXX_STANDARD_REQUIRED ON
               POSITION_INDEPENDENT_CODE ON)
  target_compile_definitions(
    ${target} PRIVATE _GNU_SOURCE PGOPT_MLIR_VERSION="${PGOPT_MLIR_VERSION}")
  target_include_directories(
    ${target} PRIVATE ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/lib
                      ${PROJECT_SOURCE_DIR}/include)
  target_compile_options(
    ${target}
    PRIVATE -Wall -Wextra $<$<COMPILE_LANGUAGE:C>:-Wshadow -Wstrict-prototypes
            -Wmissing-prototypes> $<$<COMPILE_LANGUAGE:CXX>:-fno-rtti
            -Wno-unused-parameter>)
  if(PGOPT_WERROR)
    target_compile_options(${target} PRIVATE -Werror)
  endif()
  if(PGOPT_SANITIZE)
    target_compile_options(${target} PRIVATE -fsanitize=${PGOPT_SANITIZE}
                                             -fno-omit-frame-pointer)
    target_link_options(${target} PRIVATE -fsanitize=${PGOPT_SANITIZE})
    if(PGOPT_SANITIZE MATCHES "undefined")
      target_compile_options(${target}
                             PRIVATE -fno-sanitize-recover=undefined)
      # libMLIR.so has no type information for ubsan's vptr check.
      target_compile_options(
        ${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-fno-sanitize=vptr>)
    endif()
  endif()
  if(PGOPT_FUZZ)
    target_compile_options(${target} PRIVATE -fsanitize=fuzzer-no-link)
  endif()
endfunction()

# A shared library that exports pgopt_ symbols (and the plugin's entry points)
# and nothing else. Sources are added by the folders with target_sources. For
# fuzzing it is an archive: a fuzz target has what it tests in itself.
function(pgopt_add_library name)
  if(PGOPT_FUZZ)
    add_library(${name} STATIC)
    pgopt_configure(${name})
    return()
  endif()
  add_library(${name} SHARED)
  pgopt_configure(${name})
  set_target_properties(${name} PROPERTIES LINK_DEPENDS
                                           ${PROJECT_SOURCE_DIR}/cmake/exports.map)
  target_link_options(
    ${name} PRIVATE
    -Wl,--version-script=${PROJECT_SOURCE_DIR}/cmake/exports.map
    -Wl,--no-undefined)
endfunction()

# A program in build/bin.
function(pgopt_add_tool name)
  add_executable(${name} ${ARGN})
  pgopt_configure(${name})
  target_link_libraries(${name} PRIVATE pgopt pgopt_runtime pgopt_mlir)
  set_property(GLOBAL APPEND PROPERTY PGOPT_TOOLS ${name})
endfunction()

# A unit test in plain C, run by ctest under its name; it links the libraries,
# whose pgopt_ symbols it calls directly. After SANITIZED: its arguments under a
# sanitizer, where it takes several times as long.
function(pgopt_add_unit_test name)
  cmake_parse_arguments(unit "" "" "SANITIZED" ${ARGN})
  add_executable(${name} ${unit_UNPARSED_ARGUMENTS})
  pgopt_configure(${name})
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/test/unit)
  target_link_libraries(${name} PRIVATE pgopt pgopt_runtime m)
  if(NOT PGOPT_SANITIZE)
    set(unit_SANITIZED)
  endif()
  add_test(NAME unit/${name} COMMAND ${name} ${unit_SANITIZED})
endfunction()

# A unit test of the runtime alone: needs neither libpgopt.so nor MLIR. The
# target runtime_tests builds all of them.
function(pgopt_add_runtime_test name)
  add_executable(${name} ${ARGN})
  pgopt_configure(${name})
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/test/unit)
  target_link_libraries(${name} PRIVATE pgopt_runtime Threads::Threads m)
  add_test(NAME unit/${name} COMMAND ${name})
  set_tests_properties(unit/${name} PROPERTIES LABELS runtime TIMEOUT 300)
  if(NOT TARGET runtime_tests)
    add_custom_target(runtime_tests)
  endif()
  add_dependencies(runtime_tests ${name})
endfunction()
