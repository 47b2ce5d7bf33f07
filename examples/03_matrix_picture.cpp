// Draws the matrix of a robot's forward dynamics as SVG: as its equations are written down, and in the planned order with the
// entries that elimination adds (fill-in) in red.
//   example_03_matrix_picture ROBOT.urdf > matrix.svg
#include <cstdio>

#include "sparsedyn/json/files.hpp"
#include "sparsedyn/planning/optimise.hpp"
#include "sparsedyn/report/page.hpp"
#include "sparsedyn/urdf/load.hpp"

using namespace sparsedyn;

namespace {

constexpr double cell = 2.0;
constexpr double margin = 12.0;

/// The matrix in a frame with its title below: a square of the drawing for every entry, as one path a layer.
void draw(const report::Spy& spy, double left, const std::string& title) {
  const double size = cell * static_cast<double>(spy.row_names.size());
  std::printf("<rect x=\"%g\" y=\"%g\" width=\"%g\" height=\"%g\" fill=\"none\" stroke=\"#888\" stroke-width=\"0.5\"/>\n", left,
              margin, size, size);
  std::printf("<text x=\"%g\" y=\"%g\" font-family=\"sans-serif\" font-size=\"13\" fill=\"#444\">%s</text>\n", left,
              margin + size + 18, title.c_str());
  for (const report::SpyLayer& layer : spy.layers) {
    std::printf("<path fill=\"%s\" d=\"", layer.name.rfind("fill-in", 0) == 0 ? "#d62728" : "#1f4e79");
    for (const auto& [row, column] : layer.entries)
      std::printf("M%g %gh%gv%gh-%gz", left + cell * column, margin + cell * row, cell, cell, cell);
    std::printf("\"/>\n");
  }
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 2) {
    std::fprintf(stderr, "usage: example_03_matrix_picture ROBOT.urdf > matrix.svg\n");
    return 2;
  }
  const System system(load_urdf(arguments[1]), load_sensor_set("forward-dynamics"));
  const Plan plan = optimise(system).plan;
  const int n = plan.pattern.rows, entries = plan.pattern.entries(), fill = plan.elimination.fill;
  const std::vector<std::string>&rows = system.equation_names(), &columns = system.unknown_names();
  const double right = 2 * margin + cell * n;

  std::printf("<svg xmlns=\"http://www.w3.org/2000/svg\" shape-rendering=\"crispEdges\" viewBox=\"0 0 %g %g\">\n",
              right + cell * n + margin, cell * n + margin + 26);
  std::printf("<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n");
  draw(report::spy_of(plan.pattern, rows, columns), margin,
       "as written down: " + std::to_string(n) + " unknowns, " + std::to_string(entries) + " entries");
  draw(report::spy_of(plan.pattern, plan.order, plan.elimination, rows, columns), right,
       "in the planned order: " + std::to_string(fill) + " entries of fill-in");
  std::printf("</svg>\n");
}
