# The law of contacts that the library compiles is what generated code says, too.
foreach(name contact_law line_search)
  set(file ${PROJECT_SOURCE_DIR}/src/constraints/${name}.h)
  string(TOUPPER ${name} text)
  file(READ ${file} ${text})
  set_property(DIRECTORY ${PROJECT_SOURCE_DIR} APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
endforeach()
configure_file(${PROJECT_SOURCE_DIR}/src/codegen/contacts/contact_law_text.cpp.in ${PROJECT_BINARY_DIR}/generated/contact_law_text.cpp @ONLY)
target_sources(sparsedyn_codegen PRIVATE ${PROJECT_BINARY_DIR}/generated/contact_law_text.cpp)
