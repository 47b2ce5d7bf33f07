// Draws the matrix of a robot's forward dynamics as SVG: as its equations are written down, and in the planned order with the
// entries that elimination adds (fill-in) in red.
//   example_03_matrix_picture ROBOT.urdf > matrix.svg
#include <cstdio>

#include "sparsedyn/json/sensor_set.hpp"
#include "sparsedyn/ordering/optimise.hpp"
#include "sparsedyn/urdf/load.hpp"

using namespace sparsedyn;

namespace {

constexpr double cell = 2.0;
constexpr double margin = 12.0;

struct Entry {
  int row, column;
};

/// A square of the drawing for every entry, as one path.
void draw(const std::vector<Entry>& entries, double left, const char* colour) {
  std::printf("<path fill=\"%s\" d=\"", colour);
  for (const Entry& e : entries)
    std::printf("M%g %gh%gv%gh-%gz", left + cell * e.column, margin + cell * e.row, cell, cell, cell);
  std::printf("\"/>\n");
}

void frame(int size, double left, const std::string& title) {
  std::printf("<rect x=\"%g\" y=\"%g\" width=\"%g\" height=\"%g\" fill=\"none\" stroke=\"#888\" stroke-width=\"0.5\"/>\n", left,
              margin, cell * size, cell * size);
  std::printf("<text x=\"%g\" y=\"%g\" font-family=\"sans-serif\" font-size=\"13\" fill=\"#444\">%s</text>\n", left,
              margin + cell * size + 18, title.c_str());
}

std::vector<Entry> entries_of(const Pattern& pattern) {
  std::vector<Entry> entries;
  for (int r = 0; r < pattern.rows; ++r)
    for (int k = pattern.row_start[r]; k < pattern.row_start[r + 1]; ++k) entries.push_back({r, pattern.column[k]});
  return entries;
}

/// The same entries at their positions in the order.
std::vector<Entry> permuted(std::vector<Entry> entries, const Order& order) {
  std::vector<int> row_position(order.rows.size()), column_position(order.columns.size());
  for (std::size_t k = 0; k < order.rows.size(); ++k) {
    row_position[order.rows[k]] = static_cast<int>(k);
    column_position[order.columns[k]] = static_cast<int>(k);
  }
  for (Entry& e : entries) e = {row_position[e.row], column_position[e.column]};
  return entries;
}

/// All entries of L and U, the diagonal too.
std::vector<Entry> factors(const Elimination& elimination) {
  std::vector<Entry> entries;
  for (int r = 0; r < elimination.size(); ++r) {
    entries.push_back({r, r});
    for (int k = elimination.lower_start[r]; k < elimination.lower_start[r + 1]; ++k)
      entries.push_back({r, elimination.lower[k]});
    for (int k = elimination.upper_start[r]; k < elimination.upper_start[r + 1]; ++k)
      entries.push_back({r, elimination.upper[k]});
  }
  return entries;
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 2) {
    std::fprintf(stderr, "usage: example_03_matrix_picture ROBOT.urdf > matrix.svg\n");
    return 2;
  }
  const System system(load_urdf(arguments[1]), load_sensor_set("forward-dynamics"));
  const Plan plan = optimise(system).plan;
  const int n = plan.pattern.rows;
  const double right = 2 * margin + cell * n;

  std::printf("<svg xmlns=\"http://www.w3.org/2000/svg\" shape-rendering=\"crispEdges\" viewBox=\"0 0 %g %g\">\n",
              right + cell * n + margin, cell * n + margin + 26);
  std::printf("<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n");
  const std::vector<Entry> written = entries_of(plan.pattern);
  frame(n, margin, "as written down: " + std::to_string(n) + " unknowns, " + std::to_string(written.size()) + " entries");
  draw(written, margin, "#1f4e79");
  frame(n, right,
        "in the planned order (" + plan.strategy + "): " + std::to_string(plan.elimination.fill) + " entries of fill-in");
  draw(factors(plan.elimination), right, "#d62728");
  draw(permuted(written, plan.order), right, "#1f4e79");
  std::printf("</svg>\n");
}
