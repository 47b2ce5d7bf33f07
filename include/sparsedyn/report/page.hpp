// One self-contained page of HTML: style and script inside, nothing loaded from elsewhere; and on it matrices by their patterns
// (spy plots): hovering a cell of the page names its equation and its unknown.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "sparsedyn/sparse/detail/elimination.hpp"

namespace sparsedyn::report {

/// &, <, > and quotes as HTML writes them.
std::string escaped(const std::string& text);

/// Rows of cells (HTML); the first row is the header, the first column is set to the left, all others to the right.
std::string table(const std::vector<std::vector<std::string>>& rows);

/// Figures beside each other where the window is wide enough.
std::string beside(const std::vector<std::string>& figures);

/// A heading and what follows it.
std::string section(const std::string& heading, const std::string& body);

/// The page. `title` is plain text, `body` HTML.
std::string page(const std::string& title, const std::string& body);

/// Entries of one meaning, in one colour.
struct SpyLayer {
  std::string name, colour;                  // of the legend; as CSS has it
  std::vector<std::pair<int, int>> entries;  // row, column: positions in the drawing
};

/// A drawing of a matrix.
struct Spy {
  std::string title, caption;                        // above and below it
  std::vector<std::string> row_names, column_names;  // from the top, from the left
  std::vector<SpyLayer> layers;                      // later ones are drawn over earlier ones
};

/// The figure with its legend. Its size in pixels is `width`; cells scale.
std::string spy_plot(const Spy& spy, double width = 520);

/// A matrix as it is written down.
Spy spy_of(const Pattern& pattern, const std::vector<std::string>& row_names, const std::vector<std::string>& column_names);

/// The same matrix with rows and columns in the order of elimination: pivots, entries that lie in L and in U, and the fill-in
/// of either.
Spy spy_of(const Pattern& pattern, const Order& order, const Elimination& elimination,
           const std::vector<std::string>& row_names, const std::vector<std::string>& column_names);

}  // namespace sparsedyn::report
