# Messages: pgopt_add_proto(TARGET proto/NAME.proto) generates <proto/NAME.pb-c.h>
# with protoc-c and adds its code to TARGET.

find_program(PGOPT_PROTOC_C protoc-c REQUIRED)
pkg_check_modules(PROTOBUF_C REQUIRED IMPORTED_TARGET libprotobuf-c)

function(pgopt_add_proto target file)
  get_filename_component(stem ${file} NAME_WE)
  set(folder ${PROJECT_BINARY_DIR}/generated)
  set(generated ${folder}/proto/${stem}.pb-c)
  file(MAKE_DIRECTORY ${folder})
  add_custom_command(
    OUTPUT ${generated}.c ${generated}.h
    COMMAND ${PGOPT_PROTOC_C} --proto_path=${PROJECT_SOURCE_DIR}
            --c_out=${folder} ${file}
    DEPENDS ${PROJECT_SOURCE_DIR}/${file}
    VERBATIM)
  add_library(proto_${stem} OBJECT ${generated}.c)
  pgopt_configure(proto_${stem})
  target_compile_options(proto_${stem} PRIVATE -w)
  target_include_directories(proto_${stem} SYSTEM PUBLIC ${folder})
  target_link_libraries(proto_${stem} PUBLIC PkgConfig::PROTOBUF_C)
  target_link_libraries(${target} PRIVATE proto_${stem})
endfunction()
