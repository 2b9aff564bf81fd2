# Where LLVM and MLIR are, and the compiler; included before languages are enabled. Of these the first that has the right
# version is taken:
#
#   -DMLIR_DIR=PREFIX/lib/cmake/mlir           the package itself
#   LLVM_CONFIG=PREFIX/bin/llvm-config         in the environment
#   -DCMAKE_PREFIX_PATH=PREFIX                 or the same in the environment
#   llvm-config-22 or llvm-config              on the path, as Debian's packages have it
#
# The compiler is CXX or CMAKE_CXX_COMPILER if one is given; otherwise a clang on the path, or that of the same LLVM.
set(PARTITA_LLVM_VERSION 22)
# The first clang that embeds files (#embed).
set(PARTITA_OLDEST_CLANG 19)

function(partita_is_wanted_llvm result program)
  execute_process(COMMAND ${program} --version OUTPUT_VARIABLE version ERROR_QUIET)
  if(NOT version MATCHES "^${PARTITA_LLVM_VERSION}\\.")
    set(${result} FALSE PARENT_SCOPE)
  endif()
endfunction()

function(partita_is_wanted_clang result program)
  execute_process(COMMAND ${program} --version OUTPUT_VARIABLE version ERROR_QUIET)
  if(NOT version MATCHES "clang version ([0-9]+)" OR CMAKE_MATCH_1 LESS PARTITA_OLDEST_CLANG)
    set(${result} FALSE PARENT_SCOPE)
  endif()
endfunction()

function(partita_refuse_llvm reason)
  message(FATAL_ERROR "${reason}\n"
    "On Debian: apt-get install llvm-${PARTITA_LLVM_VERSION}-dev libmlir-${PARTITA_LLVM_VERSION}-dev "
    "mlir-${PARTITA_LLVM_VERSION}-tools clang-${PARTITA_LLVM_VERSION} lld-${PARTITA_LLVM_VERSION}\n"
    "With an LLVM ${PARTITA_LLVM_VERSION} of your own, built with -DLLVM_ENABLE_PROJECTS='clang;lld;mlir': name its prefix, "
    "-DCMAKE_PREFIX_PATH=PREFIX, or LLVM_CONFIG=PREFIX/bin/llvm-config in the environment")
endfunction()

if(NOT MLIR_DIR)
  if(DEFINED ENV{LLVM_CONFIG})
    set(names $ENV{LLVM_CONFIG})
  else()
    set(names llvm-config-${PARTITA_LLVM_VERSION} llvm-config)
  endif()
  find_program(PARTITA_LLVM_CONFIG NAMES ${names} NAMES_PER_DIR VALIDATOR partita_is_wanted_llvm)
  if(NOT PARTITA_LLVM_CONFIG)
    list(JOIN names " or " sought)
    partita_refuse_llvm("LLVM ${PARTITA_LLVM_VERSION} is not found: there is no ${sought} of that version")
  endif()
  execute_process(COMMAND ${PARTITA_LLVM_CONFIG} --cmakedir OUTPUT_VARIABLE llvm OUTPUT_STRIP_TRAILING_WHITESPACE)
  get_filename_component(folder ${llvm}/../mlir ABSOLUTE)
  if(NOT EXISTS ${folder}/MLIRConfig.cmake)
    partita_refuse_llvm("the LLVM of ${PARTITA_LLVM_CONFIG} comes without MLIR: there is no ${folder}/MLIRConfig.cmake")
  endif()
  set(LLVM_DIR ${llvm} CACHE PATH "The folder of LLVMConfig.cmake")
  set(MLIR_DIR ${folder} CACHE PATH "The folder of MLIRConfig.cmake")
endif()
get_filename_component(PARTITA_LLVM_BIN ${MLIR_DIR}/../../../bin ABSOLUTE)

# The clang of this name, unless the user or an earlier run has chosen a compiler for the language.
function(partita_choose_compiler language variable name)
  if(CMAKE_${language}_COMPILER OR DEFINED ENV{${variable}})
    return()
  endif()
  find_program(PARTITA_${language}_CLANG NAMES ${name}-${PARTITA_LLVM_VERSION} ${name} NAMES_PER_DIR
    PATHS ${PARTITA_LLVM_BIN} VALIDATOR partita_is_wanted_clang)
  if(NOT PARTITA_${language}_CLANG)
    partita_refuse_llvm("there is no ${name} of version ${PARTITA_OLDEST_CLANG} or newer")
  endif()
  set(CMAKE_${language}_COMPILER ${PARTITA_${language}_CLANG} CACHE FILEPATH "The compiler")
endfunction()

partita_choose_compiler(C CC clang)
partita_choose_compiler(CXX CXX clang++)
