#include "robots.hpp"

#include <cstdlib>
#include <filesystem>

#include "model/samples.hpp"
#include "sparsedyn/urdf/load.hpp"

namespace sparsedyn::reproduce {

std::optional<Model> robot(const std::string& name, bool floating) {
  LoadOptions options;
  options.floating = floating;
  const std::string source = SPARSEDYN_SOURCE_DIR;
  const char* given = std::getenv("SPARSEDYN_ROBOTS");
  for (const std::string& folder : {given ? given : source + "/../shared/robots", source + "/robots"}) {
    const std::string path = folder + "/" + name + ".urdf";
    if (std::filesystem::exists(path)) return load_urdf(path, options);
  }
  return std::nullopt;
}

Model revolute_tree(int n, int children) {
  std::mt19937 rng(1);
  std::uniform_real_distribution<double> unit(-1.0, 1.0);
  const auto vector = [&](double scale) {
    const double x = scale * unit(rng), y = scale * unit(rng), z = scale * unit(rng);
    return Vec3<double>{{x, y, z}};
  };
  ModelBuilder builder("tree");
  builder.root("link0", zero_inertia<double>(), false);
  for (int k = 1; k <= n; ++k) {
    JointSpec spec;
    spec.kind = JointKind::revolute;
    spec.axis = vector(1);
    const Inertia<double> inertia = inertia_about_com(1.0, vector(0.2), {0.02, 0, 0, 0.03, 0, 0.025});
    const Pose<double> placement{rotation_from_rpy(vector(3)), vector(0.4)};
    builder.link("link" + std::to_string(k), inertia, "link" + std::to_string((k - 1 + children - 1) / children),
                 "joint" + std::to_string(k), spec, placement);
  }
  return builder.build();
}

States::States(const Model& model, int n, unsigned seed)
    : nq(model.nq), nv(model.nv), count(n), q(nq * n), v(nv * n), a(nv * n) {
  std::mt19937 rng(seed);
  std::normal_distribution<double> normal;
  for (int k = 0; k < n; ++k) uniform_sample(model, rng, q.data() + static_cast<std::size_t>(k) * nq);
  for (double& x : v) x = normal(rng);
  for (double& x : a) x = normal(rng);
}

}  // namespace sparsedyn::reproduce
