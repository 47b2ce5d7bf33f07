// Compiled without NDEBUG, an index that is none ends the program and says so, where memory would be read out of bounds.
#undef NDEBUG
#include <catch2/catch.hpp>

#include "sparsedyn/dynamics/eigen.hpp"
#include "sparsedyn/json/files.hpp"
#include "sparsedyn/system/system.hpp"
#include "support/last_words.hpp"
#include "support/robots.hpp"

using namespace sparsedyn;
using namespace sparsedyn::test;
using Catch::Contains;
using Catch::StartsWith;

namespace {

volatile double sink;  // what would be read

}  // namespace

TEST_CASE("functions that take a link abort for the index -1") {
  const Model model = random_tree(3, 1);
  Workspace<double> ws(model);
  const Eigen::VectorXd q = Eigen::VectorXd::Constant(model.nq, 0.3), v = Eigen::VectorXd::Ones(model.nv);
  forward_kinematics(model, ws, q, v, v);
  RowMajorMatrix J(6, model.nv);
  LinkDerivativeMatrices by(model);
  const int last = static_cast<int>(model.links.size()) - 1;
  const std::string expected = "; expected 0 to " + std::to_string(last);
  for (int link : {model.find_link("typo"), last + 1}) {
    const auto starts = StartsWith("link " + std::to_string(link) + expected);
    CHECK_THAT(last_words([&] { sink = link_pose(model, ws, link).d[0]; }), starts);
    CHECK_THAT(last_words([&] { sink = link_velocity(model, ws, link).w[0]; }), starts);
    CHECK_THAT(last_words([&] { sink = link_velocity(model, ws, link, Axes::world).w[0]; }), starts);
    CHECK_THAT(last_words([&] { sink = link_acceleration(model, ws, link).w[0]; }), starts);
    CHECK_THAT(last_words([&] { link_jacobian(model, ws, link, Axes::world, J); }), starts);
    CHECK_THAT(last_words([&] { link_jacobian(model, ws, link, Axes::world, J.data()); }), starts);
    CHECK_THAT(last_words([&] { link_derivatives(model, ws, link, by); }), starts);
  }
  CHECK_THAT(last_words([&] { sink = link_pose(model, ws, -1).d[0]; }), Contains("find_link"));
  CHECK_THAT(last_words([&] { sink = model.leading_link(-1); }), StartsWith("body -1"));
}

TEST_CASE("a system's columns are asked for by indices that it has") {
  const System system(random_tree(3, 1), load_sensor_set("inverse-dynamics"));
  const int bodies = static_cast<int>(system.model().bodies.size());
  CHECK_THAT(last_words([&] { sink = system.fx_column(system.model().find_link("typo")); }), StartsWith("link -1"));
  CHECK_THAT(last_words([&] { sink = system.acc_column(bodies); }), StartsWith("body " + std::to_string(bodies)));
  CHECK_THAT(last_words([&] { sink = system.f_column(-1); }), StartsWith("body -1"));
  CHECK_THAT(last_words([&] { sink = system.tau_column(-1); }), StartsWith("freedom -1"));
  CHECK_THAT(last_words([&] { sink = system.ddq_column(system.model().nv); }), StartsWith("freedom "));
  CHECK_THAT(last_words([&] { sink = system.link_in_leading(-1).d[0]; }), StartsWith("link -1"));
}
