// Reads a log, record by record, from a file or a pipe: memory does not grow with the number of rows. Comma, RFC 4180
// quotes, LF or CRLF; a byte-order mark and blank lines are passed over, blanks around cells are dropped. Other separators
// are recognised and named, and read where that is asked for.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace sparsedyn {

class RecordReader;

/// What a cell of a column of numbers held. Only `number` has a finite value.
enum class CellState : unsigned char { number, empty, not_finite };

/// How a log parts its columns, and its numbers' whole part from the rest.
struct CsvDialect {
  char separator = ',';        // or ';', '\t'; ' ': blanks and tabs, as many as there are
  bool decimal_comma = false;  // 1,5 is 1.5
};

class CsvReader {
 public:
  /// Of all logs that are opened from now on, where nothing else is said.
  static void set_dialect(const CsvDialect& dialect);

  /// Opens the log ("-": standard input) and reads its header line. Throws InputError where the file cannot be read, has no
  /// header, is of another dialect, or names a column twice.
  explicit CsvReader(const std::string& path) : CsvReader(path, path) {}
  /// The same of a copy; messages call it `name`.
  CsvReader(const std::string& path, const std::string& name);
  ~CsvReader();

  const std::string& path() const { return path_; }
  const std::vector<std::string>& columns() const { return columns_; }
  long header_line() const { return header_line_; }
  bool has(const std::string& column) const { return index_.count(column) > 0; }

  /// Asks for a column of numbers; returns where value() and state() find it (the same slot when asked twice), or −1 where
  /// the log has no such column. All other columns are passed over unread, so ask before the first next().
  int ask(const std::string& column);
  /// In this column `nan`, `NaN`, `NA` and `null` are what an empty cell is.
  void take_gap_words(int slot) { gap_words_[slot] = 1; }
  /// Asks for a column to be handed on as it stands (`time`); at most one. False where the log has none.
  bool keep(const std::string& column);

  /// Reads the next record; false at the end. Throws InputError on a ragged record, a quote that never closes, and on text
  /// in a column of numbers. About 30 ns a number.
  bool next();

  /// Whether the next record has not arrived yet (RecordReader::waits).
  bool waits();

  double value(int slot) const { return values_[slot]; }  // NaN where the cell is empty or nan, ±inf where too large
  CellState state(int slot) const { return states_[slot]; }
  const std::string& name(int slot) const { return columns_[asked_[slot]]; }
  /// The kept column's cell, quotes included, as a CSV with commas and decimal points has it; empty if none was kept. Valid
  /// until next().
  std::string_view kept() const { return kept_; }
  /// From now on all cells of each record are kept, as they stand in it.
  void keep_all() { keeps_all_ = true; }
  /// They, quotes included, likewise; empty without keep_all(). Valid until next().
  const std::vector<std::string_view>& cells() const { return cells_; }
  /// The physical line (from 1) on which the record starts.
  long line() const;

 private:
  static constexpr int passed_over = -1, kept_as_text = -2;

  template <class Take>
  int for_each_cell(Take&& take);
  void read_header();
  void take(int column, std::string_view cell, bool quoted);
  [[noreturn]] void fail(const std::string& element, const std::string& found, const std::string& expected) const;

  std::string path_;
  std::unique_ptr<RecordReader> records_;
  long header_line_ = 0;
  std::vector<std::string> columns_;
  std::unordered_map<std::string, int> index_;
  std::vector<int> slot_;   // of each column, or passed_over, kept_as_text
  std::vector<int> asked_;  // column of each slot
  std::vector<double> values_;
  std::vector<CellState> states_;
  std::vector<char> gap_words_;  // beside states_
  std::string_view kept_;
  void parse(std::string_view cell, int slot, int column);
  std::string_view as_written(std::string_view cell, bool quoted, std::string& into) const;

  CsvDialect dialect_;
  bool keeps_all_ = false;
  std::string kept_text_;                 // kept_, where it is not as it stands in the log
  std::vector<std::string> cells_texts_;  // likewise, by column
  std::vector<std::string_view> cells_;
};

/// Reads one number: `+1.5`, `1e-400` (zero), `nan` and `1e999` (not_finite), nothing (empty). False on anything else.
bool parse_cell(std::string_view cell, double& value, CellState& state) noexcept;
/// Whether it is one of the words that programs write for a value that is missing: nan (in any case, with any sign), NA, null.
bool is_gap_word(std::string_view cell) noexcept;

}  // namespace sparsedyn
