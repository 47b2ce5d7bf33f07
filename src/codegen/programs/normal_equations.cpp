#include "normal_equations.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <stdexcept>
#include <utility>
#include <vector>

#include "codegen/kernel/emit_kernel.hpp"

namespace sparsedyn {
namespace {

/// An element of Y, by its name Y.ROW.COLUMN.
struct Entry {
  int row, parameter;
};

std::vector<Entry> entries_of(const Program& regressor) {
  std::vector<Entry> entries;
  for (const std::string& name : regressor.outputs().at(0).elements)
    entries.push_back({std::stoi(name.substr(2)), std::stoi(name.substr(name.find('.', 2) + 1))});
  return entries;
}

/// Neighbouring columns of the sum that are not zero in the same rows of Y. Columns are in an order of their own: masses and
/// first moments of all bodies, then all moments of inertia, which forces do not feel, so that rows of sliding freedoms pass
/// them by; then joints. Columns that the program lacks everywhere come last, in no block.
struct Block {
  int column;                             // its first, in that order
  std::vector<int> parameters;            // by column
  std::vector<std::pair<int, int>> rows;  // of Y, and the block's place in the packed elements

  int width() const { return static_cast<int>(parameters.size()); }
};

/// Columns right of a block that meet it in the same rows.
struct Segment {
  int column, width;
  std::vector<std::pair<int, int>> terms;  // by row: where the block and the columns stand in the packed elements
};

std::vector<int> order_of_columns(const ParameterIndex& index) {
  std::vector<int> order;
  const auto add = [&](int first, int width) {
    for (int k = 0; k < width; ++k) order.push_back(first + k);
  };
  const int bodies = static_cast<int>(index.of_joints.size());
  for (int j = 0; j < bodies; ++j) add(10 * j, 4);
  for (int j = 0; j < bodies; ++j) add(10 * j + 4, 6);
  for (int j = 0; j < bodies; ++j) add(index.of_joints[static_cast<std::size_t>(j)], index.counts[static_cast<std::size_t>(j)]);
  return order;
}

/// The regressor's elements by row, in a row by column: a block's lie side by side.
struct PackedRows {
  PackedRows(const Program& regressor, const ParameterIndex& index, int rows) : entries(entries_of(regressor)) {
    std::vector<std::vector<int>> rows_of(static_cast<std::size_t>(index.count));
    for (const Entry& e : entries) rows_of[static_cast<std::size_t>(e.parameter)].push_back(e.row);
    for (std::vector<int>& of_column : rows_of) std::sort(of_column.begin(), of_column.end());
    int column = 0;
    for (int k : order_of_columns(index)) {
      const std::vector<int>& here = rows_of[static_cast<std::size_t>(k)];
      if (here.empty()) continue;
      if (blocks.empty() || here != rows_of[static_cast<std::size_t>(blocks.back().parameters[0])])
        blocks.push_back({column, {}, {}});
      blocks.back().parameters.push_back(k);
      ++column;
    }
    place_blocks(rows_of, rows);
    for (const Entry& e : entries) place.push_back(place_of(e));
  }
  /// Where a row of a block begins; -1 where it is zero.
  static int start(const Block& block, int row) {
    const auto at = std::lower_bound(block.rows.begin(), block.rows.end(), std::pair{row, -1});
    return at == block.rows.end() || at->first != row ? -1 : at->second;
  }
  std::vector<Segment> segments(std::size_t b) const {
    std::vector<Segment> found;
    for (std::size_t k = b; k < blocks.size(); ++k) {
      Segment s{blocks[k].column, blocks[k].width(), {}};
      for (const auto& [row, own] : blocks[b].rows)
        if (const int at = start(blocks[k], row); at >= 0) s.terms.emplace_back(own, at);
      if (s.terms.empty()) continue;
      if (!found.empty() && continues(found.back(), s))
        found.back().width += s.width;
      else
        found.push_back(s);
    }
    return found;
  }

  std::vector<Entry> entries;
  std::vector<Block> blocks;
  std::vector<int> place;  // by element of Y

 private:
  void place_blocks(const std::vector<std::vector<int>>& rows_of, int rows) {
    std::vector<std::vector<std::size_t>> met(static_cast<std::size_t>(rows));
    for (std::size_t b = 0; b < blocks.size(); ++b)
      for (int r : rows_of[static_cast<std::size_t>(blocks[b].parameters[0])]) met[static_cast<std::size_t>(r)].push_back(b);
    int size = 0;
    for (int r = 0; r < rows; ++r)
      for (std::size_t b : met[static_cast<std::size_t>(r)])
        blocks[b].rows.emplace_back(r, size), block_at_[{r, b}] = size, size += blocks[b].width();
    for (std::size_t b = 0; b < blocks.size(); ++b)
      for (int c = 0; c < blocks[b].width(); ++c) column_at_[blocks[b].parameters[static_cast<std::size_t>(c)]] = {b, c};
  }
  int place_of(const Entry& e) const {
    const auto& [block, column] = column_at_.at(e.parameter);
    return block_at_.at({e.row, block}) + column;
  }
  static bool continues(const Segment& a, const Segment& b) {
    if (a.column + a.width != b.column || a.terms.size() != b.terms.size()) return false;
    for (std::size_t t = 0; t < a.terms.size(); ++t)
      if (a.terms[t].first != b.terms[t].first || a.terms[t].second + a.width != b.terms[t].second) return false;
    return true;
  }

  std::map<std::pair<int, std::size_t>, int> block_at_;   // by row and block
  std::map<int, std::pair<std::size_t, int>> column_at_;  // by parameter: block and column in it
};

/// The tables of the text.
struct Tables {
  Tables(const PackedRows& packed, int count) {
    std::vector<bool> there(static_cast<std::size_t>(count), false);
    for (std::size_t b = 0; b < packed.blocks.size(); ++b) {
      const Block& block = packed.blocks[b];
      for (int k : block.parameters) parameters.push_back(k), there[static_cast<std::size_t>(k)] = true;
      const std::vector<Segment> of_block = packed.segments(b);
      for (const Segment& s : of_block) {
        segments.insert(segments.end(), {s.column, s.width, static_cast<int>(s.terms.size())});
        for (const auto& [own, at] : s.terms) terms.insert(terms.end(), {own, at});
        flops += 2L * block.width() * s.width * static_cast<long>(s.terms.size());
      }
      blocks.insert(blocks.end(), {block.column, block.width(), static_cast<int>(of_block.size())});
    }
    for (int k = 0; k < count; ++k)
      if (!there[static_cast<std::size_t>(k)]) parameters.push_back(k);
    for (std::size_t e = 0; e < packed.entries.size(); ++e)
      elements.insert(elements.end(), {packed.place[e], packed.entries[e].row, packed.entries[e].parameter});
    flops += static_cast<long>(packed.entries.size());  // by their weights
  }
  std::vector<int> segments, terms, parameters, blocks, elements;
  long flops = 0;
};

constexpr int tall = 4;  // rows of a tile

/// Columns of a tile: its sums, a row's factors and a column stay in sixteen registers.
int widest(int rows) { return rows == tall ? 3 : 4; }

/// Products of some columns with others, summed over terms and samples in registers: A += S'X; S and X: the columns in the rows
/// of the terms, all samples of an element side by side.
std::string tile(int rows, int columns) {
  const auto each = [&](auto&& text, const std::string& between) {
    std::string all;
    for (int r = 0; r < rows; ++r)
      for (int c = 0; c < columns; ++c) all += (all.empty() ? "" : between) + text(std::to_string(r), std::to_string(c));
    return all;
  };
  using Text = const std::string&;
  const auto name = [](Text r, Text c) { return "a" + r + c; };
  std::string loads;
  for (int r = 0; r < rows; ++r) {
    const std::string i = std::to_string(r);
    loads += (r ? ", f" : "f") + i + " = f[" + i + " * @_STEPS + k]";
  }
  for (int c = 0; c < columns; ++c) {
    const std::string i = std::to_string(c);
    loads += ", x" + i + " = x[" + i + " * @_STEPS + k]";
  }
  return "static inline void @_tile" + std::to_string(rows) + std::to_string(columns) +
         "(const @_vector *s, const @_vector *y, const int *term, int terms, double *A) {\n  @_vector " +
         each([&](Text r, Text c) { return name(r, c) + " = {0}"; }, ", ") +
         ";\n  for (int t = 0; t < terms; ++t) {\n    const @_vector *f = s + @_STEPS * term[2 * t], *x = y + @_STEPS * term[2 "
         "* t "
         "+ 1];\n    for (int k = 0; k < @_STEPS; ++k) {\n      const @_vector " +
         loads + ";\n      " + each([&](Text r, Text c) { return name(r, c) + " += f" + r + " * x" + c; }, ", ") +
         ";\n    }\n  }\n  " +
         each([&](Text r, Text c) { return "A[" + r + " * @_P + " + c + "] += @_total(" + name(r, c) + ")"; }, ", ") + ";\n}\n";
}

/// All tiles, and the choice among them.
std::string tiles() {
  std::string functions, cases;
  for (int r = 1; r <= tall; ++r)
    for (int c = 1; c <= widest(r); ++c) {
      functions += tile(r, c);
      cases += "  case " + std::to_string(8 * r + c) + ": @_tile" + std::to_string(r) + std::to_string(c) +
               "(s, y, term, terms, A); break;\n";
    }
  return functions +
         "static void @_tile(int rows, int columns, const @_vector *s, const @_vector *y, const int *term, int terms, double "
         "*A) "
         "{\n  switch (8 * rows + columns) {\n" +
         cases + "  }\n}\n";
}

/// As many samples at once as the processor's vectors hold.
const char* const kVectors = R"(#if @_TOGETHER == 1
#define @_SIDE_BY_SIDE 1
#elif defined(__GNUC__) && defined(__AVX512F__)
#define @_SIDE_BY_SIDE 8
#elif defined(__GNUC__) && defined(__AVX__)
#define @_SIDE_BY_SIDE 4
#elif defined(__GNUC__)
#define @_SIDE_BY_SIDE 2
#else
#define @_SIDE_BY_SIDE 1
#endif
#define @_STEPS (@_TOGETHER / @_SIDE_BY_SIDE)
#if @_SIDE_BY_SIDE > 1
typedef double @_vector __attribute__((vector_size(8 * @_SIDE_BY_SIDE), may_alias));
static inline double @_total(@_vector x) {
  double sum = x[0];
  for (int l = 1; l < @_SIDE_BY_SIDE; ++l) sum += x[l];
  return sum;
}
#else
typedef double @_vector;
static inline double @_total(@_vector x) { return x; }
#endif
)";

const char* const kFunctions = R"(
/* Of m <= TOGETHER samples, element e of sample k at Y[e * by_element + k * by_sample], row i of sample k of tau and w at
   [i * by_row + k * by_tau]. */
static void @_add(const double *Y, const double *tau, const double *w, int m, long by_element, long by_sample, long by_row,
                  long by_tau, double *sum, double *b) {
  @_vector y[@_STEPS * @_PACKED], s[@_STEPS * @_PACKED];
  for (int e = 0; e < @_ELEMENTS; ++e) {
    const int *const element = @_elements + 3 * e;
    double *const x = (double *)(y + @_STEPS * element[0]), *const f = (double *)(s + @_STEPS * element[0]);
    const double *const from = Y + e * by_element;
    const long row = element[1] * by_row;
    if (m < @_TOGETHER)
      for (int k = 0; k < @_TOGETHER; ++k) x[k] = f[k] = 0;
    if (by_sample == 1 && m == @_TOGETHER)
      memcpy(x, from, @_TOGETHER * sizeof *x);
    else
      for (int k = 0; k < m; ++k) x[k] = from[k * by_sample];
    if (!w)
      memcpy(f, x, @_TOGETHER * sizeof *x);
    else if (by_tau == 1 && m == @_TOGETHER)
      for (int k = 0; k < @_TOGETHER; ++k) f[k] = w[row + k] * x[k];
    else
      for (int k = 0; k < m; ++k) f[k] = w[row + k * by_tau] * x[k];
    if (b && tau)
      for (int k = 0; k < m; ++k) b[element[2]] += f[k] * tau[row + k * by_tau];
  }
  const int *segment = @_segments, *term = @_terms;
  for (int i = 0; i < @_BLOCKS; ++i) {
    const int *const block = @_blocks + 3 * i;
    for (int g = 0; g < block[2]; ++g, term += 2 * segment[2], segment += 3)
      for (int r = 0; r < block[1]; r += @_TALL) {
        const int rows = block[1] - r < @_TALL ? block[1] - r : @_TALL, widest = rows == @_TALL ? @_TALL - 1 : @_TALL;
        for (int c = 0; c < segment[1]; c += widest)
          @_tile(rows, segment[1] - c < widest ? segment[1] - c : widest, s + @_STEPS * r, y + @_STEPS * c, term, segment[2],
                 sum + (long)(block[0] + r) * @_P + segment[0] + c);
      }
  }
}

void @_normal(const double *Y, const double *tau, const double *w, long n, double *sum, double *b) {
  for (long k = 0; k < n; k += @_TOGETHER)
    @_add(Y + k * @_ELEMENTS, tau ? tau + k * @_V : 0, w ? w + k * @_V : 0, (int)(n - k < @_TOGETHER ? n - k : @_TOGETHER), 1,
          @_ELEMENTS, 1, @_V, sum, b);
}

void @_normal_batch(const double *Y, const double *tau, const double *w, long n, double *sum, double *b) {
  for (long k = 0; k < n; k += @_TOGETHER)
    @_add(Y + k, tau ? tau + k : 0, w ? w + k : 0, (int)(n - k < @_TOGETHER ? n - k : @_TOGETHER), n, 1, n, 1, sum, b);
}

void @_normal_matrix(const double *sum, double *A) {
  for (int r = 0; r < @_P; ++r)
    for (int c = r; c < @_P; ++c) {
      const long i = @_parameters[r], j = @_parameters[c];
      A[i * @_P + j] = A[j * @_P + i] = sum[(long)r * @_P + c];
    }
}
)";

std::string table(const std::string& what, const std::vector<int>& x) {
  std::string text = "static const int @_" + what + "[] = {";
  for (std::size_t k = 0; k < x.size(); ++k) text += (k % 24 ? ", " : k ? ",\n    " : "") + std::to_string(x[k]);
  return text + (x.empty() ? "0" : "") + "};\n";
}

/// Samples at once, a multiple of all lanes: elements and their weighted copies stay in a nearby cache, and on the stack. Of
/// the largest robots one, without vectors.
std::size_t together(std::size_t elements) { return elements < 1000 ? 16 : elements < 6000 ? 8 : 1; }

std::string define(const std::string& what, std::size_t x) { return "#define @_" + what + " " + std::to_string(x) + "\n"; }

}  // namespace

NormalEquations normal_equations(const Program& regressor, const ParameterIndex& index, int rows, const std::string& name) {
  if (regressor.outputs().size() != 1 || regressor.outputs()[0].name != "Y")
    throw std::invalid_argument("normal equations are of a regressor's program");
  const PackedRows packed(regressor, index, rows);
  const Tables t(packed, index.count);
  const std::string P = std::to_string(index.count);
  const std::size_t elements = packed.entries.size();
  const std::string source =
      "\n/* Normal equations: columns that share no row of Y are never multiplied. */\n" +
      define("P", static_cast<std::size_t>(index.count)) + define("PACKED", std::max<std::size_t>(1, elements)) +
      define("V", static_cast<std::size_t>(rows)) + "#ifndef @_TOGETHER\n" + define("TOGETHER", together(elements)) +
      "#endif\n" + define("TALL", tall) + define("ELEMENTS", elements) + define("BLOCKS", packed.blocks.size()) +
      table("elements", t.elements) + table("segments", t.segments) + table("terms", t.terms) +
      table("parameters", t.parameters) + table("blocks", t.blocks) + kVectors + tiles() + kFunctions;
  const std::string at_once = std::to_string(together(elements));
  const std::string declaration =
      "/* sum += Y' diag(w) Y and b += Y' diag(w) tau for n samples, one behind the other: Y as written above, tau and w " +
      std::to_string(rows) + " each.\n   sum: " + P + " * " + P + " numbers in an order of its own, zero at first; b: " + P +
      ", by parameter. w null: ones; tau or b null:\n   sum alone. " + at_once +
      " samples at once take far less time than as many calls; they need " +
      std::to_string(16 * together(elements) * elements / 1024 + 1) +
      " KiB of stack\n   (compiled with -D@_TOGETHER=8, or 16 or 1, as many "
      "at once). */\n"
      "void @_normal(const double *Y, const double *tau, const double *w, long n, double *sum, double *b);\n"
      "/* The same of Y as @_batch writes it, tau and w likewise: element e of sample k at [e * n + k]. Faster. */\n"
      "void @_normal_batch(const double *Y, const double *tau, const double *w, long n, double *sum, double *b);\n"
      "/* A: the symmetric matrix of what sum holds, " +
      P + " x " + P + ", by parameter. */\nvoid @_normal_matrix(const double *sum, double *A);\n";
  return {named(source, name), named(declaration, name), t.flops};
}

void add(const NormalEquations& equations, std::vector<CodeFile>& files) {
  const std::string end = "\n#ifdef __cplusplus\n}\n";
  for (CodeFile& file : files) {
    if (file.ending == ".c") file.text += equations.source;
    if (file.ending == ".h") file.text.insert(file.text.find(end), "\n" + equations.declaration);
  }
}

}  // namespace sparsedyn
