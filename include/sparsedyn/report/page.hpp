// One self-contained page of HTML: style and script inside, nothing loaded from elsewhere, light and dark, for a telephone, a
// wide screen and paper; and on it matrices by their patterns (spy plots): a cell under the pointer names its equation and its
// unknown, and the elimination can be followed step by step. All pages of the program look the same because all are made here.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "sparsedyn/sparse/elimination.hpp"

namespace sparsedyn::report {

/// &, <, > and quotes as HTML writes them.
std::string escaped(const std::string& text);

/// A number of so many significant digits; never −0, and nothing where it is not finite.
std::string number(double x, int digits = 4);

/// A number's text with a minus sign in place of hyphens, at which lines are not broken, and thousands in groups of
/// three digits ("2.1e+03": 2 100); any other text as it is.
std::string with_minus(const std::string& number);

/// Rows of cells (HTML; numbers get their minus sign); the first row is the header, the first column is set to the left, all
/// others to the right. Columns without a word are left out, and so is a table without a row.
std::string table(const std::vector<std::vector<std::string>>& rows);

/// Figures in a grid: as many beside each other as the window has room for.
std::string beside(const std::vector<std::string>& figures);

/// A heading and what follows it.
std::string section(const std::string& heading, const std::string& body);

/// HTML under a line that opens and closes it. `said` is plain text.
std::string folded_away(const std::string& said, const std::string& body);

/// What a command printed, folded away.
std::string console(const std::string& text);

/// The page. `title` is plain text, `body` HTML.
std::string page(const std::string& title, const std::string& body);

/// The page, and in large letters below its title what is seen on it; `lead` is HTML: a sentence or two.
std::string page(const std::string& title, const std::string& lead, const std::string& body);

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
  bool eliminated = false;                           // in the order of elimination: its steps can be followed
};

/// The figure with its legend, with buttons to zoom, and where it is eliminated with a slider. At most `width` pixels wide.
std::string spy_plot(const Spy& spy, double width = 520);

/// A matrix as it is written down.
Spy spy_of(const Pattern& pattern, const std::vector<std::string>& row_names, const std::vector<std::string>& column_names);

/// The same matrix with rows and columns in the order of elimination: pivots, entries that lie in L and in U, and the fill-in
/// of either.
Spy spy_of(const Pattern& pattern, const Order& order, const Elimination& elimination,
           const std::vector<std::string>& row_names, const std::vector<std::string>& column_names);

}  // namespace sparsedyn::report
