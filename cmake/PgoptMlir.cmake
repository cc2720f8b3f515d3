# MLIR and LLVM 22.1: the target pgopt::mlir. Shared by pgopt's own build and by
# the programs that find an installed pgopt.
#
# MLIR's C API exists as static archives only. Linking their CMake targets pulls
# a second, static copy of MLIR in; so the archives are put over libMLIR.so.

set(PGOPT_MLIR_VERSION 22.1)

find_program(PGOPT_LLVM_CONFIG llvm-config-22 REQUIRED)
execute_process(
  COMMAND ${PGOPT_LLVM_CONFIG} --includedir --libdir --bindir
  OUTPUT_VARIABLE llvm_paths OUTPUT_STRIP_TRAILING_WHITESPACE
  COMMAND_ERROR_IS_FATAL ANY)
string(REPLACE "\n" ";" llvm_paths "${llvm_paths}")
list(GET llvm_paths 0 PGOPT_LLVM_INCLUDE_DIR)
list(GET llvm_paths 1 PGOPT_LLVM_LIBRARY_DIR)
list(GET llvm_paths 2 PGOPT_LLVM_BINARY_DIR)

# RegisterEverything stays out: it would register every dialect there is.
file(GLOB mlir_c_archives ${PGOPT_LLVM_LIBRARY_DIR}/libMLIRCAPI*.a)
list(FILTER mlir_c_archives EXCLUDE REGEX "ExecutionEngine|ExportSMTLIB")

add_library(pgopt_mlir INTERFACE)
add_library(pgopt::mlir ALIAS pgopt_mlir)
target_include_directories(pgopt_mlir SYSTEM
                           INTERFACE ${PGOPT_LLVM_INCLUDE_DIR})
target_link_libraries(
  pgopt_mlir
  INTERFACE -Wl,--start-group ${mlir_c_archives} -Wl,--end-group
            ${PGOPT_LLVM_LIBRARY_DIR}/libMLIR.so.${PGOPT_MLIR_VERSION}
            ${PGOPT_LLVM_LIBRARY_DIR}/libLLVM.so.${PGOPT_MLIR_VERSION}
            stdc++)
# The library is not on the loader's path.
target_link_options(pgopt_mlir INTERFACE
                    -Wl,-rpath,${PGOPT_LLVM_LIBRARY_DIR})
