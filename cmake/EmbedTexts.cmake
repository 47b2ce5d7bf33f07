# sparsedyn_embed_texts(TARGET FUNCTION FILES…): compiles text files into TARGET as
#   const std::vector<std::pair<std::string, std::string>>& sparsedyn::cli::FUNCTION();   names without extension, and texts
function(sparsedyn_embed_texts target function)
  set(entries "")
  foreach(file ${ARGN})
    get_filename_component(name ${file} NAME_WLE)
    file(READ ${file} text)
    string(APPEND entries "      {\"${name}\", R\"=====(${text})=====\"},\n")
  endforeach()
  set(source ${CMAKE_CURRENT_BINARY_DIR}/${function}.cpp)
  file(GENERATE OUTPUT ${source} CONTENT "#include <string>
#include <utility>
#include <vector>

namespace sparsedyn::cli {

const std::vector<std::pair<std::string, std::string>>& ${function}();
const std::vector<std::pair<std::string, std::string>>& ${function}() {
  static const std::vector<std::pair<std::string, std::string>> texts{
${entries}  };
  return texts;
}

}  // namespace sparsedyn::cli
")
  target_sources(${target} PRIVATE ${source})
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${ARGN})
endfunction()
