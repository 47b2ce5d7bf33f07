#include "normal_equations.hpp"

#include <algorithm>
#include <cstddef>
#include <stdexcept>
#include <utility>
#include <vector>

#include "codegen/emit/emit_kernel.hpp"

namespace sparsedyn {
namespace {

constexpr int most_wide = 6;  // columns of a block

/// Neighbouring columns of the sum with the same owner. They are in an order of their own: masses and first moments of all
/// bodies, then all moments of inertia, which forces do not feel, so that rows of sliding freedoms pass them by; then joints.
struct Block {
  int column, width;                      // in that order
  int parameter;                          // its first
  std::vector<std::pair<int, int>> rows;  // where it is not zero: row of Y, and its place in the packed rows
};

/// Columns right of a block that meet it in the same rows.
struct Segment {
  int column, width;
  std::vector<std::pair<int, int>> terms;  // which of the block's rows, and where the columns stand in it
};

std::vector<Block> empty_blocks(const ParameterIndex& index) {
  std::vector<Block> blocks;
  int column = 0;
  const auto add = [&](int parameter, int width) {
    blocks.push_back({column, width, parameter, {}});
    column += width;
  };
  const int bodies = static_cast<int>(index.of_joints.size());
  for (int j = 0; j < bodies; ++j) add(10 * j, 4);
  for (int j = 0; j < bodies; ++j) add(10 * j + 4, 6);
  for (int first : index.of_joints)
    if (first >= 0) add(first, 4);
  return blocks;
}

/// The regressor's entries, each row's blocks packed one behind the other, zeros of a block included.
struct PackedRows {
  PackedRows(const Program& regressor, const ParameterIndex& index, int rows) : blocks(empty_blocks(index)) {
    std::vector<std::size_t> block_of(static_cast<std::size_t>(index.count));
    for (std::size_t b = 0; b < blocks.size(); ++b)
      for (int c = 0; c < blocks[b].width; ++c) block_of[static_cast<std::size_t>(blocks[b].parameter + c)] = b;
    std::vector<std::vector<bool>> met(static_cast<std::size_t>(rows), std::vector<bool>(blocks.size(), false));
    std::vector<std::pair<int, int>> entries;
    for (const std::string& name : regressor.outputs().at(0).elements) {  // Y.ROW.COLUMN
      const std::size_t dot = name.find('.', 2);
      const int row = std::stoi(name.substr(2, dot - 2)), column = std::stoi(name.substr(dot + 1));
      entries.emplace_back(row, column);
      met[static_cast<std::size_t>(row)][block_of[static_cast<std::size_t>(column)]] = true;
    }
    for (int r = 0; r < rows; ++r)
      for (std::size_t b = 0; b < blocks.size(); ++b)
        if (met[static_cast<std::size_t>(r)][b]) blocks[b].rows.emplace_back(r, size), size += blocks[b].width;
    for (const auto& [row, column] : entries) {
      const Block& block = blocks[block_of[static_cast<std::size_t>(column)]];
      place.push_back(start(block, row) + column - block.parameter);
    }
  }
  /// Where a row of a block begins; -1 where it is zero.
  static int start(const Block& block, int row) {
    const auto at = std::find_if(block.rows.begin(), block.rows.end(), [&](const auto& x) { return x.first == row; });
    return at == block.rows.end() ? -1 : at->second;
  }
  std::vector<Segment> segments(std::size_t b) const {
    std::vector<Segment> found;
    for (std::size_t k = b; k < blocks.size(); ++k) {
      Segment s{blocks[k].column, blocks[k].width, {}};
      for (std::size_t p = 0; p < blocks[b].rows.size(); ++p)
        if (const int at = start(blocks[k], blocks[b].rows[p].first); at >= 0) s.terms.emplace_back(static_cast<int>(p), at);
      if (s.terms.empty()) continue;
      if (!found.empty() && continues(found.back(), s))
        found.back().width += s.width;
      else
        found.push_back(s);
    }
    return found;
  }

  std::vector<Block> blocks;
  std::vector<int> place;  // by element of Y
  int size = 0;            // of all packed rows

 private:
  static bool continues(const Segment& a, const Segment& b) {
    if (a.column + a.width != b.column || a.terms.size() != b.terms.size()) return false;
    for (std::size_t t = 0; t < a.terms.size(); ++t)
      if (a.terms[t].first != b.terms[t].first || a.terms[t].second + a.width != b.terms[t].second) return false;
    return true;
  }
};

/// The tables of the text.
struct Tables {
  explicit Tables(const PackedRows& packed) {
    for (std::size_t b = 0; b < packed.blocks.size(); ++b) {
      const Block& block = packed.blocks[b];
      for (int c = 0; c < block.width; ++c) parameters.push_back(block.parameter + c);
      if (block.rows.empty()) continue;
      for (const auto& [row, at] : block.rows) rows.insert(rows.end(), {row, at});
      const std::vector<Segment> of_block = packed.segments(b);
      for (const Segment& s : of_block) {
        segments.insert(segments.end(), {s.column, s.width, static_cast<int>(s.terms.size())});
        for (const auto& [row, at] : s.terms) terms.insert(terms.end(), {row, at});
        flops += 2L * block.width * s.width * static_cast<long>(s.terms.size());
      }
      most_rows = std::max(most_rows, block.rows.size());
      blocks.insert(blocks.end(),
                    {block.column, block.width, static_cast<int>(block.rows.size()), static_cast<int>(of_block.size())});
    }
  }
  std::vector<int> rows, segments, terms, parameters, blocks;
  std::size_t most_rows = 1;
  long flops = 0;
};

/// Rows of the sum and `vectors` vectors of `lanes` columns, in registers while the terms pass by: A += S X, S by terms; X: the
/// columns in the rows of the terms.
std::string panel(int rows, int lanes, int vectors) {
  const std::string type = "@_of" + std::to_string(lanes), step = " + " + std::to_string(lanes) + " * ";
  const auto each = [&](auto&& text, const std::string& between) {
    std::string all;
    for (int r = 0; r < rows; ++r)
      for (int k = 0; k < vectors; ++k) all += (all.empty() ? "" : between) + text(std::to_string(r), std::to_string(k));
    return all;
  };
  using Text = const std::string&;
  const auto name = [](Text r, Text k) { return "a" + r + "_" + k; };
  const auto at = [&](Text r, Text k) { return "(A + " + r + " * @_P" + step + k + ")"; };
  std::string columns;
  for (int k = 0; k < vectors; ++k) {
    const std::string i = std::to_string(k);
    columns += (k ? ", x" : "x") + i + " = *(const " + type + " *)(x" + step + i + ")";
  }
  return "static inline void @_panel" + std::to_string(rows) + "_" + std::to_string(lanes) + "x" + std::to_string(vectors) +
         "(const double *s, const double *y, const int *term, int terms, int n, double *A) {\n  " + type + " " +
         each([&](Text r, Text k) { return name(r, k) + " = *(const " + type + " *)" + at(r, k); }, ",\n    ") +
         ";\n  for (int t = 0; t < terms; ++t) {\n    const double *f = s + " + std::to_string(most_wide) +
         " * @_TOGETHER * term[2 * t], *x = y + term[2 * t + 1];\n    for (int k = 0; k < n; ++k, f += " +
         std::to_string(most_wide) + ", x += @_PACKED) {\n      const " + type + " " + columns + ";\n      " +
         each([&](Text r, Text k) { return name(r, k) + " += f[" + r + "] * x" + k; }, ", ") + ";\n    }\n  }\n  " +
         each([&](Text r, Text k) { return "*(" + type + " *)" + at(r, k) + " = " + name(r, k); }, ",\n    ") + ";\n}\n";
}

const char* const kVectors = R"(typedef double @_of1;
#ifdef __GNUC__
typedef double @_of2 __attribute__((vector_size(16), aligned(8), may_alias));
#ifdef __AVX__
typedef double @_of4 __attribute__((vector_size(32), aligned(8), may_alias));
#endif
#ifdef __AVX512F__
typedef double @_of8 __attribute__((vector_size(64), aligned(8), may_alias));
#endif
#endif
)";

/// As many columns at once as the processor's vectors hold, two vectors where registers suffice.
std::string panels(int rows) {
  struct Form {
    std::string condition;
    int lanes, vectors;
  };
  const std::string widest = "#if defined(__GNUC__) && defined(__AVX512F__)\n",
                    wide = "#if defined(__GNUC__) && defined(__AVX__)\n", any = "#ifdef __GNUC__\n";
  std::string functions, calls;
  for (const Form& f : {Form{widest, 8, 2}, {widest, 8, 1}, {wide, 4, 2}, {wide, 4, 1}, {any, 2, 1}, {"", 1, 1}}) {
    const std::string end = f.condition.empty() ? "" : "#endif\n", width = std::to_string(f.lanes * f.vectors);
    functions += f.condition + panel(rows, f.lanes, f.vectors) + end;
    calls += f.condition + "  for (; c + " + width + " <= width; c += " + width + ") @_panel" + std::to_string(rows) + "_" +
             std::to_string(f.lanes) + "x" + std::to_string(f.vectors) + "(s, y + c, term, terms, n, A + c);\n" + end;
  }
  return functions + "static void @_panels" + std::to_string(rows) +
         "(const double *s, const double *y, const int *term, int terms, int n, int width, double *A) {\n  int c = 0;\n" +
         calls + "}\n";
}

const char* const kFunctions = R"(
/* Of n <= TOGETHER samples. */
static void @_add(const double *Y, const double *tau, const double *w, int n, double *sum, double *b) {
  double y[@_TOGETHER * @_PACKED], s[6 * @_TOGETHER * @_ROWS] = {0};
  memset(y, 0, (size_t)n * @_PACKED * sizeof *y);
  for (int k = 0; k < n; ++k)
    for (int e = 0; e < @_ELEMENTS; ++e) y[k * @_PACKED + @_place[e]] = Y[k * @_ELEMENTS + e];
  const int *row = @_rows, *segment = @_segments, *term = @_terms;
  for (int i = 0; i < @_BLOCKS; ++i) {
    const int *const block = @_blocks + 4 * i;
    const int column = block[0], width = block[1];
    for (int p = 0; p < block[2]; ++p, row += 2)
      for (int k = 0; k < n; ++k) {
        double *const f = s + 6 * (p * @_TOGETHER + k);
        const double *const x = y + k * @_PACKED + row[1];
        const double weight = w ? w[k * @_V + row[0]] : 1;
        for (int r = 0; r < width; ++r) f[r] = weight * x[r];
        if (b && tau)
          for (int r = 0; r < width; ++r) b[@_parameters[column + r]] += f[r] * tau[k * @_V + row[0]];
      }
    for (int g = 0; g < block[3]; ++g, term += 2 * segment[2], segment += 3) {
      double *const corner = sum + (long)column * @_P + segment[0];
      if (width == 4)
        @_panels4(s, y, term, segment[2], n, segment[1], corner);
      else
        @_panels6(s, y, term, segment[2], n, segment[1], corner);
    }
  }
}

void @_normal(const double *Y, const double *tau, const double *w, long n, double *sum, double *b) {
  for (long k = 0; k < n; k += @_TOGETHER)
    @_add(Y + k * @_ELEMENTS, tau ? tau + k * @_V : 0, w ? w + k * @_V : 0, (int)(n - k < @_TOGETHER ? n - k : @_TOGETHER), sum,
          b);
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

/// Samples whose packed rows fit a nearby cache: the sum is read and written once for them all.
std::size_t together(int packed) {
  constexpr int cache = 12000;  // numbers
  return static_cast<std::size_t>(std::max(1, std::min(16, cache / std::max(1, packed))));
}

std::string define(const std::string& what, std::size_t x) { return "#define @_" + what + " " + std::to_string(x) + "\n"; }

}  // namespace

NormalEquations normal_equations(const Program& regressor, const ParameterIndex& index, int rows, const std::string& name) {
  if (regressor.outputs().size() != 1 || regressor.outputs()[0].name != "Y")
    throw std::invalid_argument("normal equations are of a regressor's program");
  const PackedRows packed(regressor, index, rows);
  const Tables t(packed);
  const std::string P = std::to_string(index.count);
  const std::string source = "\n/* Normal equations: columns that share no row of Y are never multiplied. */\n" +
                             define("P", static_cast<std::size_t>(index.count)) + define("ROWS", t.most_rows) +
                             define("PACKED", static_cast<std::size_t>(std::max(1, packed.size))) +
                             define("V", static_cast<std::size_t>(rows)) + define("TOGETHER", together(packed.size)) +
                             define("ELEMENTS", packed.place.size()) + define("BLOCKS", t.blocks.size() / 4) +
                             table("place", packed.place) + table("rows", t.rows) + table("segments", t.segments) +
                             table("terms", t.terms) + table("parameters", t.parameters) + table("blocks", t.blocks) +
                             kVectors + panels(4) + panels(6) + kFunctions;
  const std::string declaration =
      "/* sum += Y' diag(w) Y and b += Y' diag(w) tau for n samples, one behind the other: Y as written above, tau and w " +
      std::to_string(rows) + " each.\n   sum: " + P + " * " + P + " numbers in an order of its own, zero at first; b: " + P +
      ", by parameter. w null: ones; tau or b null:\n   sum alone. Ten samples at once take far less time than ten calls. */\n"
      "void @_normal(const double *Y, const double *tau, const double *w, long n, double *sum, double *b);\n"
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
