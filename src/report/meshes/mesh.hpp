// Triangles of a surface, read from STL and OBJ files, and made fewer so that a page stays small.
#pragma once

#include <array>
#include <string>
#include <vector>

namespace sparsedyn::report {

struct Mesh {
  std::vector<std::array<float, 3>> points;   // m, before any scale
  std::vector<std::array<int, 3>> triangles;  // places of points, counter-clockwise from outside
};

/// Whether read_mesh knows files of that name's ending: .stl, .obj, in any case.
bool is_mesh_file(const std::string& path);

/// STL, binary or text, and OBJ (its v and f lines; faces of more corners become fans). Equal points become one. Throws
/// InputError if the file cannot be read, holds no triangle, or a place or number that is none.
Mesh read_mesh(const std::string& path);

/// At most `most` triangles: points in one cell of a grid become their mean, in the finest grid of which that is true;
/// triangles that lose a corner so are left out. As it is where it has no more.
Mesh decimated(const Mesh& mesh, std::size_t most);

}  // namespace sparsedyn::report
