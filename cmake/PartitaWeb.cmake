# partita_embed_page(target source) bundles web/ into build/web/page.html (web/build.mjs), which `source` of `target` embeds.
# The first build asks npm's registry for the packages of web/package-lock.json; later ones only after that file has changed.
function(partita_embed_page target source)
  find_program(PARTITA_NODE NAMES node nodejs)
  find_program(PARTITA_NPM npm)
  if(NOT PARTITA_NODE OR NOT PARTITA_NPM)
    message(FATAL_ERROR "node and npm bundle the page of reports and are missing; install them: apt-get install nodejs npm")
  endif()
  file(GLOB_RECURSE inputs CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/web/*)
  set(folder ${CMAKE_BINARY_DIR}/web)
  add_custom_command(OUTPUT ${folder}/page.html
    COMMAND ${PARTITA_NODE} ${CMAKE_SOURCE_DIR}/web/build.mjs ${folder}
    DEPENDS ${inputs} COMMENT "Bundling web/")
  set_source_files_properties(${source} PROPERTIES OBJECT_DEPENDS ${folder}/page.html
    COMPILE_OPTIONS "--embed-dir=${CMAKE_BINARY_DIR};-Wno-c23-extensions")
  # A target of its own: bundling waits for nothing that is compiled.
  add_custom_target(partita_page DEPENDS ${folder}/page.html)
  add_dependencies(${target} partita_page)
endfunction()
