# The C++ library, for find_package(Partita): rooms as static libraries Partita::Search, ..., with their headers. Installed as
# the component `library`, which neither the wheel nor `pip install .` asks for:
#
#   cmake --install build --component library --prefix DIR
#
# examples/cpp plans a program with it.
include(CMakePackageConfigHelpers)

get_property(rooms GLOBAL PROPERTY PARTITA_ROOMS)
foreach(room IN LISTS rooms)
  list(APPEND libraries partita_${room})
  set_target_properties(partita_${room} PROPERTIES EXPORT_NAME ${room})
endforeach()
foreach(part flags llvm mlir)
  set_target_properties(partita_${part} PROPERTIES EXPORT_NAME ${part})
endforeach()
install(TARGETS ${libraries} partita_flags partita_llvm partita_mlir EXPORT PartitaTargets
  ARCHIVE DESTINATION lib COMPONENT library)
install(EXPORT PartitaTargets NAMESPACE Partita:: DESTINATION lib/cmake/Partita COMPONENT library)
foreach(folder ${CMAKE_SOURCE_DIR} ${CMAKE_BINARY_DIR})
  install(DIRECTORY ${folder}/partita/ DESTINATION include/partita COMPONENT library
    FILES_MATCHING PATTERN "*.h" PATTERN "*.h.inc" PATTERN "Testing" EXCLUDE)
endforeach()
configure_package_config_file(${CMAKE_SOURCE_DIR}/cmake/PartitaConfig.cmake.in ${CMAKE_BINARY_DIR}/PartitaConfig.cmake
  INSTALL_DESTINATION lib/cmake/Partita)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/PartitaConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/PartitaConfig.cmake ${CMAKE_BINARY_DIR}/PartitaConfigVersion.cmake
  DESTINATION lib/cmake/Partita COMPONENT library)
