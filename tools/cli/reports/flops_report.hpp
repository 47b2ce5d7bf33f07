// Operation counts as JSON, text, CSV and HTML.
#pragma once

#include <string>
#include <vector>

#include "requests/flops_growth.hpp"

namespace sparsedyn::cli {

std::string flops_json(const FlopsReport& report);
/// Every entry with its kinds of operations: a line an entry or phase where those fit into `width` letters or that is 0, else
/// lines of raw and of folded counts below its name.
std::string flops_text(const FlopsReport& report, int width);
/// In 80 columns: totals of the algorithms, of the order that a plan takes and of the cheapest others, and the growth.
std::string flops_summary(const FlopsReport& report);
/// One line an entry, account (raw, runtime, folded, published) and phase (total, assembly, factorisation, solve).
std::string flops_csv(const FlopsReport& report);
/// Plots, tables and the matrices, in one page that loads nothing.
std::string flops_html(const FlopsReport& report);

/// "zero_fill_lu forward-dynamics, umfpack": algorithm, what it solves, order.
std::string entry_name(const FlopsEntry& entry);

/// What "raw" and "folded" are, and who counts what.
extern const char *const what_counts_are, *const who_counts_what;

/// Rows below a header, words to the left, numbers to the right.
std::string rows_below_header(const std::vector<std::vector<std::string>>& rows);

/// A line an algorithm and account, below a heading; empty for a robot.
std::string growth_lines(const FlopsReport& report, bool residuals);

/// The lines as rows of cells under a header; empty without lines.
std::vector<std::vector<std::string>> growth_rows(const std::vector<GrowthLine>& lines);

}  // namespace sparsedyn::cli
