// The articulated-body algorithm as five sparse transformations of the forward-dynamics system, each drawn: what it holds, and
// the system after it. (Nori et al. 2017, Property 2.)
//   example_05_aba_as_matrices ROBOT.urdf > aba.html
#include <cmath>
#include <cstdio>
#include <set>

#include "matrix_aba.hpp"
#include "sparsedyn/json/files.hpp"
#include "sparsedyn/model/configuration.hpp"
#include "sparsedyn/report/page.hpp"
#include "sparsedyn/urdf/load.hpp"

using namespace sparsedyn;
using namespace sparsedyn::report;

namespace {

struct Step {
  const char *title, *text;
};

const Step steps[] = {
    {"Step 1: f_i = I_i^A a_i + p_i",
     "From the right. The unknown f_i is replaced by p_i, the articulated body's bias wrench; its columns stay where they "
     "were, "
     "and those of a_i take what I_i^A a_i brings: the row of τ_i now speaks of a_i."},
    {"Step 2: the kinematics of link i enter its torque row",
     "S_iᵀ I_i^A times the rows of a_i are added to the row of τ_i. a_i leaves it; q̈_i enters, with D_i = S_iᵀ I_i^A S_i."},
    {"Step 3: the torque row is divided by D_i", "No entry comes or goes; the row now reads as the formula of q̈_i."},
    {"Step 4: q̈_i leaves the rows of a_i",
     "S_i times the torque row is subtracted from the rows of a_i: of what moves, only the parent's acceleration is left "
     "there."},
    {"Step 5: accelerations leave the wrench rows",
     "jX_iᵀ I_j^A times the rows of a_j are added to the rows of f_i, for every child j. a_j leaves them, and so does a_i, "
     "since "
     "I_i^A is the sum of I_i and of what the children hand on: the recursion of articulated inertias. What is left is lower "
     "triangular: forward substitution finds p from tips to base, then q̈ and a from base to tips."}};

using Cells = std::set<std::pair<int, int>>;

/// Positions of the entries in the triangular order.
Cells cells_of(const MatrixAba& aba, int after) {
  std::vector<int> row(aba.order.rows.size()), column(aba.order.columns.size());
  for (std::size_t k = 0; k < row.size(); ++k)
    row[aba.order.rows[k]] = static_cast<int>(k), column[aba.order.columns[k]] = static_cast<int>(k);
  const MatrixAba::Matrix m = aba.after(after);
  Cells cells;
  for (int c = 0; c < m.outerSize(); ++c)
    for (MatrixAba::Matrix::InnerIterator e(m, c); e; ++e) cells.insert({row[e.row()], column[e.col()]});
  return cells;
}

/// The transformation itself, without its unit diagonal's monotony: rows and columns as rows (or, in step 1, unknowns) are
/// eliminated.
Spy transformation(const MatrixAba& aba, int k, const Spy& frame) {
  const std::vector<int>& order = k == 0 ? aba.order.columns : aba.order.rows;
  std::vector<int> position(order.size());
  for (std::size_t p = 0; p < order.size(); ++p) position[order[p]] = static_cast<int>(p);
  const std::vector<std::string>& names = k == 0 ? frame.column_names : frame.row_names;
  Spy spy{"W" + std::to_string(k + 1), "", names, names, {{"diagonal", "#999", {}}, {"blocks", "#8e44ad", {}}}};
  const MatrixAba::Matrix& W = aba.step[k];
  for (int c = 0; c < W.outerSize(); ++c)
    for (MatrixAba::Matrix::InnerIterator e(W, c); e; ++e) {
      const bool unit = e.row() == e.col() && e.value() == 1.0;
      spy.layers[unit ? 0 : 1].entries.push_back({position[e.row()], position[e.col()]});
    }
  return spy;
}

Spy difference(const Spy& frame, const Cells& before, const Cells& now) {
  Spy spy{"the system after it",
          "",
          frame.row_names,
          frame.column_names,
          {{"entries", "#1f5fa8", {}}, {"new", "#2e8b57", {}}, {"gone", "#e8a9a1", {}}}};
  for (const auto& cell : now) spy.layers[before.count(cell) ? 0 : 1].entries.push_back(cell);
  for (const auto& cell : before)
    if (!now.count(cell)) spy.layers[2].entries.push_back(cell);
  return spy;
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 2) return std::fprintf(stderr, "usage: %s ROBOT.urdf > aba.html\n", arguments[0]), 2;
  const System system(load_urdf(arguments[1]), load_sensor_set("forward-dynamics"));
  std::mt19937 rng(1);
  const std::vector<double> q = random_configuration(system.model(), rng), v(system.model().nv, 0.5),
                            y(system.inputs().size(), 0.25);
  const MatrixAba aba = matrix_aba(system, q.data(), v.data(), y.data());

  Spy frame;
  for (int r : aba.order.rows) frame.row_names.push_back(system.equation_names()[r]);
  for (int c : aba.order.columns) frame.column_names.push_back(system.unknown_names()[c]);
  Cells before = cells_of(aba, 0);
  Spy first = difference(frame, before, before);
  first.title = "the system, rows and columns already in the final order";
  std::string body =
      "<p>Forward dynamics of <b>" + escaped(system.model().name) +
      "</b>. Rows: what is given, then wrench rows from tips to base, then torque and kinematics rows from base to tips. "
      "Columns "
      "likewise: τ and fx, then f (p after step 1), then q̈ and a. The pointer names them. Nothing here is symbolic: the "
      "transformations are numbers at a random state, and what cancels, cancels to rounding.</p>\n" +
      beside({spy_plot(first, 430)});
  for (int k = 0; k < 5; ++k) {
    const Cells now = cells_of(aba, k + 1);
    body += section(steps[k].title,
                    std::string("<p>") + steps[k].text + "</p>\n" +
                        beside({spy_plot(transformation(aba, k, frame), 430), spy_plot(difference(frame, before, now), 430)}));
    before = now;
  }
  const Eigen::VectorXd x = aba.solve();
  const double residual = (aba.system * x - aba.right_side).cwiseAbs().maxCoeff() / x.cwiseAbs().maxCoeff();
  char said[200];
  std::snprintf(said, sizeof said,
                "<p>Forward substitution solves the system: largest residual beside the largest unknown %.1e.</p>\n", residual);
  std::printf("%s", page("The articulated-body algorithm as five sparse matrices", body + said).c_str());
  return residual < 1e-9 ? 0 : 1;
}
