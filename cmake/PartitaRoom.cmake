# partita_room(Name [DEPENDS Room... [MLIR]]) makes the library partita_Name from
# partita/Name/**/*.cpp, its TableGen files included, and the unit-test binary
# Name-tests from **/*Test.cpp. The word MLIR in DEPENDS says that the room sees
# MLIR; a room without it sees LLVM's Support library only.
#
# partita_tool(name ROOMS Room...) makes build/bin/name from tools/name/*.cpp.
#
# partita_portable(name) links a tool so that it runs where GLIBC is 2.34 or newer and nothing else is installed: the
# wheel carries it. Sanitizers need the shared runtimes.

find_package(GTest REQUIRED)
enable_testing()

file(WRITE ${CMAKE_BINARY_DIR}/rooms.txt "")

function(partita_room name)
  cmake_parse_arguments(ROOM "" "" "DEPENDS" ${ARGN})
  string(REPLACE ";" " " depends "${ROOM_DEPENDS}")
  file(APPEND ${CMAKE_BINARY_DIR}/rooms.txt "${name}: ${depends}\n")
  set(dir ${CMAKE_SOURCE_DIR}/partita/${name})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${dir}/*.cpp)
  file(GLOB_RECURSE tests CONFIGURE_DEPENDS ${dir}/*Test.cpp)
  list(REMOVE_ITEM sources ${tests} "")

  set(room partita_${name})
  add_library(${room} STATIC ${sources})
  target_link_libraries(${room} PUBLIC partita_flags)
  foreach(dep IN LISTS ROOM_DEPENDS)
    if(dep STREQUAL MLIR)
      target_link_libraries(${room} PUBLIC partita_mlir)
      partita_precompile_mlir(${room})
    else()
      target_link_libraries(${room} PUBLIC partita_${dep})
      if(TARGET partita_${dep}_tablegen)
        add_dependencies(${room} partita_${dep}_tablegen)
      endif()
    endif()
  endforeach()
  if(NOT "MLIR" IN_LIST ROOM_DEPENDS)
    target_link_libraries(${room} PUBLIC partita_llvm)
  endif()
  partita_room_tablegen(${name})
  if(tests)
    add_executable(${name}-tests ${tests})
    target_link_libraries(${name}-tests PRIVATE ${room} partita_Testing GTest::gmock GTest::gtest GTest::gtest_main)
    add_test(NAME ${name} COMMAND ${name}-tests)
  endif()
endfunction()

# A room of what tests share. Every test binary sees it, and it may be seen by no other room.
macro(partita_testing_room)
  partita_room(${ARGV})
endmacro()

# One precompiled header for all rooms that see MLIR.
function(partita_precompile_mlir room)
  if(TARGET partita_pch)
    target_precompile_headers(${room} REUSE_FROM partita_pch)
    return()
  endif()
  file(WRITE ${CMAKE_BINARY_DIR}/pch.cpp "")
  add_library(partita_pch STATIC ${CMAKE_BINARY_DIR}/pch.cpp)
  target_link_libraries(partita_pch PUBLIC partita_mlir)
  target_precompile_headers(partita_pch PRIVATE ${CMAKE_SOURCE_DIR}/cmake/MlirPrecompiled.h)
  target_precompile_headers(${room} REUSE_FROM partita_pch)
endfunction()

# Dialects: in a folder that holds Dialect.td, `Dialect.td` gives the dialect,
# `Attrs.td` attributes and enums, `Types.td` types, each `*Ops.td` one family of ops.
function(partita_room_tablegen name)
  file(GLOB_RECURSE dialects CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/partita/${name}/*/Dialect.td)
  set(outputs "")
  foreach(dialect IN LISTS dialects)
    get_filename_component(dir ${dialect} DIRECTORY)
    file(GLOB all_td CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/partita/${name}/*/*.td)
    partita_tablegen(${dialect} Dialect.h.inc -gen-dialect-decls)
    partita_tablegen(${dialect} Dialect.cpp.inc -gen-dialect-defs)
    if(EXISTS ${dir}/Attrs.td)
      partita_tablegen(${dir}/Attrs.td Enums.h.inc -gen-enum-decls)
      partita_tablegen(${dir}/Attrs.td Enums.cpp.inc -gen-enum-defs)
      partita_tablegen(${dir}/Attrs.td Attrs.h.inc -gen-attrdef-decls)
      partita_tablegen(${dir}/Attrs.td Attrs.cpp.inc -gen-attrdef-defs)
    endif()
    if(EXISTS ${dir}/Types.td)
      partita_tablegen(${dir}/Types.td Types.h.inc -gen-typedef-decls)
      partita_tablegen(${dir}/Types.td Types.cpp.inc -gen-typedef-defs)
    endif()
    file(GLOB families CONFIGURE_DEPENDS ${dir}/*Ops.td)
    foreach(family IN LISTS families)
      get_filename_component(stem ${family} NAME_WE)
      partita_tablegen(${family} ${stem}.h.inc -gen-op-decls)
      partita_tablegen(${family} ${stem}.cpp.inc -gen-op-defs)
    endforeach()
  endforeach()
  if(outputs)
    add_custom_target(partita_${name}_tablegen DEPENDS ${outputs})
    add_dependencies(partita_${name} partita_${name}_tablegen)
  endif()
endfunction()

# Runs mlir-tblgen on `td`; the result stands at the same relative path in the build folder.
macro(partita_tablegen td file action)
  get_filename_component(_dir ${td} DIRECTORY)
  file(RELATIVE_PATH _rel ${CMAKE_SOURCE_DIR} ${_dir})
  set(_out ${CMAKE_BINARY_DIR}/${_rel}/${file})
  file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/${_rel})
  add_custom_command(OUTPUT ${_out}
    COMMAND ${MLIR_TABLEGEN_EXE} ${action} -I ${CMAKE_SOURCE_DIR} -I ${MLIR_INCLUDE_DIRS}
            --write-if-changed -d ${_out}.d -o ${_out} ${td}
    DEPENDS ${td} DEPFILE ${_out}.d COMMENT "TableGen ${_rel}/${file}")
  list(APPEND outputs ${_out})
endmacro()

function(partita_tool name)
  cmake_parse_arguments(TOOL "" "" "ROOMS;LINK" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/tools/${name}/*.cpp)
  add_executable(${name} ${sources})
  foreach(room IN LISTS TOOL_ROOMS)
    target_link_libraries(${name} PRIVATE partita_${room})
  endforeach()
  foreach(lib IN LISTS TOOL_LINK)
    target_link_libraries(${name} PRIVATE ${lib})
  endforeach()
endfunction()

function(partita_portable name)
  if(PARTITA_SANITIZE)
    return()
  endif()
  target_sources(${name} PRIVATE ${CMAKE_SOURCE_DIR}/tools/portable/Portable.c)
  target_link_options(${name} PRIVATE -static-libstdc++ -Wl,--strip-all)
endfunction()
