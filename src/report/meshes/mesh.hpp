// Triangles of a surface, read from STL and OBJ files or by others' readers, and made fewer so that a page stays small.
#pragma once

#include <array>
#include <string>
#include <vector>

namespace sparsedyn::report {

struct Mesh {
  std::vector<std::array<float, 3>> points;   // m, before any scale
  std::vector<std::array<int, 3>> triangles;  // places of points, counter-clockwise from outside
};

/// Files of one ending (without a dot, in small letters), and who reads them; read() throws InputError.
struct MeshKind {
  std::string ending;
  Mesh (*read)(const std::string& path);
};
/// STL and OBJ.
const std::vector<MeshKind>& own_mesh_kinds();
/// By the name's ending, in any case: one of own_mesh_kinds() or of `more`; null: none.
const MeshKind* kind_of_mesh(const std::string& path, const std::vector<MeshKind>& more = {});

/// STL, binary or text, OBJ (its v and f lines; faces of more corners become fans), and the kinds of `more`. Equal points
/// become one. Throws InputError if the file cannot be read, holds no triangle, or a place or number that is none.
Mesh read_mesh(const std::string& path, const std::vector<MeshKind>& more = {});

/// At most `most` triangles: points in one cell of a grid become their mean, in the finest grid of which that is true;
/// triangles that lose a corner so are left out. As it is where it has no more.
Mesh decimated(const Mesh& mesh, std::size_t most);

}  // namespace sparsedyn::report
