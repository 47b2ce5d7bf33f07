// Meshes: STL in bytes and in words, and OBJ, by the first byte; then with fewer triangles.
#include "report/meshes/mesh.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <cmath>

#include "reading.hpp"

namespace {

/// One file in memory, under names whose endings say what it holds.
class NamedBytes {
 public:
  NamedBytes() : file_(memfd_create("mesh", 0)) {
    char folder[] = "/tmp/fuzz_mesh.XXXXXX";
    if (file_ < 0 || !mkdtemp(folder)) std::abort();
    folder_ = folder;
    const std::string kept = "/proc/self/fd/" + std::to_string(file_);
    for (const char* ending : {"stl", "obj"})
      if (symlink(kept.c_str(), path(ending).c_str()) != 0) std::abort();
  }
  NamedBytes(const NamedBytes&) = delete;
  NamedBytes& operator=(const NamedBytes&) = delete;
  ~NamedBytes() {
    for (const char* ending : {"stl", "obj"}) unlink(path(ending).c_str());
    rmdir(folder_.c_str());
    close(file_);
  }
  std::string path(const std::string& ending) const { return folder_ + "/mesh." + ending; }
  void hold(const std::uint8_t* data, std::size_t size) {
    if (ftruncate(file_, 0) != 0 || pwrite(file_, data, size, 0) != static_cast<ssize_t>(size)) std::abort();
  }

 private:
  int file_;
  std::string folder_;
};

void check(const sparsedyn::report::Mesh& mesh) {
  for (const auto& point : mesh.points)
    for (float x : point)
      if (!std::isfinite(x)) sparsedyn::fuzz::fault("a coordinate that is not finite");
  for (const auto& triangle : mesh.triangles)
    for (int corner : triangle)
      if (corner < 0 || static_cast<std::size_t>(corner) >= mesh.points.size())
        sparsedyn::fuzz::fault("a triangle without its point");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace sparsedyn;
  static NamedBytes bytes;
  if (size == 0) return 0;
  bytes.hold(data + 1, size - 1);
  const std::string path = bytes.path(data[0] % 2 ? "obj" : "stl");
  return fuzz::attempt(path, [&] {
    const report::Mesh mesh = report::read_mesh(path);
    check(mesh);
    const report::Mesh few = report::decimated(mesh, 20);
    check(few);
    if (few.triangles.size() > 20) fuzz::fault("more triangles than were asked for");
  });
}
