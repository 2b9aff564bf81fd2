# Compiler flags, sanitizers, and LLVM and MLIR (PartitaLlvm.cmake) as static archives.

find_package(MLIR REQUIRED CONFIG)
if(NOT LLVM_VERSION_MAJOR EQUAL PARTITA_LLVM_VERSION)
  partita_refuse_llvm("${MLIR_DIR} is of LLVM ${LLVM_VERSION_MAJOR}, not ${PARTITA_LLVM_VERSION}")
endif()
if(NOT CMAKE_CXX_COMPILER_ID MATCHES Clang OR CMAKE_CXX_COMPILER_VERSION VERSION_LESS PARTITA_OLDEST_CLANG)
  partita_refuse_llvm("${CMAKE_CXX_COMPILER} is ${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}, and the sources need clang \
${PARTITA_OLDEST_CLANG} or newer")
endif()
list(APPEND CMAKE_MODULE_PATH ${MLIR_CMAKE_DIR} ${LLVM_CMAKE_DIR})
include(TableGen)

# Flags of ours. Headers of LLVM and MLIR are system headers: their warnings are theirs.
add_library(partita_flags INTERFACE)
target_compile_options(partita_flags INTERFACE
  $<BUILD_INTERFACE:-Wall> $<BUILD_INTERFACE:-Wextra> $<BUILD_INTERFACE:-Werror> $<BUILD_INTERFACE:-Wno-unused-parameter>
  -fno-exceptions -fno-rtti
  $<BUILD_INTERFACE:-fvisibility=hidden> $<BUILD_INTERFACE:-ffunction-sections> $<BUILD_INTERFACE:-fdata-sections>)
target_link_options(partita_flags INTERFACE -fuse-ld=lld -Wl,--gc-sections)
target_compile_features(partita_flags INTERFACE cxx_std_20)
target_include_directories(partita_flags INTERFACE
  $<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}> $<BUILD_INTERFACE:${CMAKE_BINARY_DIR}> $<INSTALL_INTERFACE:include>)
target_include_directories(partita_flags SYSTEM INTERFACE ${LLVM_INCLUDE_DIRS} ${MLIR_INCLUDE_DIRS})
target_compile_definitions(partita_flags INTERFACE ${LLVM_DEFINITIONS_LIST})

if(PARTITA_SANITIZE)
  target_compile_options(partita_flags INTERFACE
    -fsanitize=${PARTITA_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer -g1)
  # Debian's archives are built without RTTI, which these two checks need.
  if(PARTITA_SANITIZE MATCHES undefined)
    target_compile_options(partita_flags INTERFACE -fno-sanitize=vptr,function)
  endif()
  target_link_options(partita_flags INTERFACE -fsanitize=${PARTITA_SANITIZE})
endif()

# The static archives are linked by path: the `LLVM` target of the package would
# bring the shared library in.
set(PARTITA_ARCHIVES ${LLVM_LIBRARY_DIRS})
find_library(PARTITA_ZLIB NAMES libz.a REQUIRED)
find_library(PARTITA_ZSTD NAMES libzstd.a REQUIRED)
find_package(Threads REQUIRED)

add_library(partita_llvm INTERFACE)
target_link_libraries(partita_llvm INTERFACE
  partita_flags
  ${PARTITA_ARCHIVES}/libLLVMSupport.a
  ${PARTITA_ARCHIVES}/libLLVMDemangle.a
  ${PARTITA_ZLIB} ${PARTITA_ZSTD} Threads::Threads ${CMAKE_DL_LIBS} m)

# The closure of MLIR libraries behind the given names, as archives.
function(partita_mlir_archives out)
  set(todo ${ARGN})
  set(seen "")
  while(todo)
    list(POP_FRONT todo lib)
    if(lib IN_LIST seen)
      continue()
    endif()
    list(APPEND seen ${lib})
    get_target_property(deps ${lib} INTERFACE_LINK_LIBRARIES)
    foreach(dep IN LISTS deps)
      string(REGEX REPLACE "^\\$<LINK_ONLY:(.*)>$" "\\1" dep "${dep}")
      if(dep MATCHES "^MLIR")
        list(APPEND todo ${dep})
      endif()
    endforeach()
  endwhile()
  list(TRANSFORM seen PREPEND ${PARTITA_ARCHIVES}/lib)
  list(TRANSFORM seen APPEND .a)
  set(${out} ${seen} PARENT_SCOPE)
endfunction()

partita_mlir_archives(archives
  MLIRIR MLIRParser MLIRPass MLIRTransforms MLIRTransformUtils MLIRFuncDialect MLIRQuantDialect
  MLIRShapeDialect MLIRTensorDialect MLIRComplexDialect MLIRBytecodeWriter MLIRBytecodeReader MLIRInferTypeOpInterface
  MLIRSideEffectInterfaces MLIRControlFlowInterfaces MLIRLoopLikeInterface)
add_library(partita_mlir INTERFACE)
target_link_libraries(partita_mlir INTERFACE
  -Wl,--start-group ${archives} -Wl,--end-group
  ${PARTITA_ARCHIVES}/libLLVMCore.a ${PARTITA_ARCHIVES}/libLLVMRemarks.a
  ${PARTITA_ARCHIVES}/libLLVMBinaryFormat.a ${PARTITA_ARCHIVES}/libLLVMTargetParser.a
  ${PARTITA_ARCHIVES}/libLLVMBitstreamReader.a
  partita_llvm)

# mlir-opt's main function, which only partita-opt needs.
partita_mlir_archives(archives MLIROptLib)
add_library(partita_opt_main INTERFACE)
target_link_libraries(partita_opt_main INTERFACE -Wl,--start-group ${archives} -Wl,--end-group partita_mlir)
