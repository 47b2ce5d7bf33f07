#include <cstdlib>
#include <filesystem>

#include "simulation/looks.hpp"

namespace sparsedyn {
namespace {

namespace fs = std::filesystem;

/// The file, or where it is of a kind that nobody reads, an STL or OBJ of its name.
std::string readable(const fs::path& path, const MeshPlaces& places) {
  std::error_code none;
  if (report::kind_of_mesh(path.string(), places.kinds) && fs::is_regular_file(path, none)) return path.string();
  return report::kind_of_mesh(path.string()) ? "" : mesh_beside(path.string());
}

/// `folder` is the package of that name, or holds it.
std::string in_package(const fs::path& folder, const std::string& package, const fs::path& rest, const MeshPlaces& places) {
  const std::string held = readable(folder / package / rest, places);
  if (!held.empty()) return held;
  const fs::path name = folder.has_filename() ? folder.filename() : folder.parent_path().filename();
  return name == package ? readable(folder / rest, places) : "";
}

std::vector<std::string> folders_of_ros() {
  std::vector<std::string> folders;
  const char* const listed = std::getenv("ROS_PACKAGE_PATH");
  std::string rest = listed ? listed : "";
  for (std::size_t colon; !rest.empty(); rest = colon == std::string::npos ? "" : rest.substr(colon + 1)) {
    colon = rest.find(':');
    if (colon != 0) folders.push_back(rest.substr(0, colon));
  }
  return folders;
}

std::string packaged(const std::string& package, const std::string& rest, const MeshPlaces& places) {
  for (const std::vector<std::string>& folders : {places.packages, folders_of_ros()})
    for (const std::string& folder : folders)
      if (std::string found = in_package(folder, package, rest, places); !found.empty()) return found;
  if (places.beside.empty()) return "";
  std::error_code none;
  fs::path above = fs::absolute(places.beside, none).parent_path();
  for (; !above.empty(); above = above.parent_path()) {
    if (std::string found = in_package(above, package, rest, places); !found.empty()) return found;
    if (above == above.parent_path()) break;
  }
  return "";
}

}  // namespace

std::string mesh_beside(const std::string& path) {
  std::error_code none;
  for (const char* ending : {".stl", ".STL", ".obj"}) {
    fs::path other = path;
    other.replace_extension(ending);
    if (other != path && fs::is_regular_file(other, none)) return other.string();
  }
  return "";
}

std::string found_mesh(const std::string& named, const MeshPlaces& places) {
  for (const std::string scheme : {"package://", "model://"})
    if (named.rfind(scheme, 0) == 0) {
      const std::size_t slash = named.find('/', scheme.size());
      if (slash == std::string::npos) return "";
      return packaged(named.substr(scheme.size(), slash - scheme.size()), named.substr(slash + 1), places);
    }
  if (named.rfind("file://", 0) == 0) return readable(named.substr(7), places);
  const fs::path path = named;
  if (path.is_absolute()) return readable(path, places);
  return places.beside.empty() ? "" : readable(fs::path(places.beside).parent_path() / path, places);
}

}  // namespace sparsedyn
