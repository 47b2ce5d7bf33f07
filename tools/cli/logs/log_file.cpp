#include "log_file.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <memory>

#include "cli/support/messages.hpp"
#include "io/csv_reader.hpp"
#include "io/csv_writer.hpp"
#include "io/files/run_files.hpp"
#include "io/output_file.hpp"
#include "io/text/how_many.hpp"
#include "sparsedyn/io/input_error.hpp"
#include "sparsedyn/logs/resample.hpp"

namespace sparsedyn::cli {

void LogFile::keep(const CommonOptions& common) {
  std::error_code error;
  if (path_ != "-" && !std::filesystem::is_fifo(path_, error) && !std::filesystem::is_character_file(path_, error)) return;
  RunFiles::reading(path_);
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> in(path_ == "-" ? stdin : std::fopen(path_.c_str(), "rb"),
                                                           path_ == "-" ? [](std::FILE*) { return 0; } : &std::fclose);
  if (!in) throw InputError(name_, 0, "", "it cannot be read", "a log");
  folder_ = std::make_unique<ScratchFolder>("sparsedyn-log");
  const std::string copy = *folder_ / "log.csv";
  ScratchFile out(copy);
  constexpr std::size_t block = 65536;
  for (std::size_t n = block; n == block;) {
    n = std::fread(out.room(block), 1, block, in.get());
    out.advance(n);
  }
  if (std::ferror(in.get())) throw InputError(name_, 0, "", "it cannot be read", "a log");
  out.commit();
  note(common,
       name_ + ": read more than once, so kept in a temporary file meanwhile, and no row is answered before the log ends");
  path_ = copy;
}

namespace {

/// A log's columns of numbers, whole.
struct Numbers {
  std::vector<std::string> columns, others;
  std::vector<double> time;
  std::vector<std::vector<double>> values;
};

/// Columns in whose cells no text stands: they are told by trying.
std::vector<std::string> columns_of_text(const std::string& path, const std::string& name) {
  CsvReader log(path, name);
  log.keep_all();
  std::vector<char> text(log.columns().size(), 0);
  while (log.next())
    for (std::size_t c = 0; c < text.size(); ++c) {
      double value = 0;
      CellState state = CellState::empty;
      std::string_view cell = log.cells()[c];
      if (cell.size() > 1 && cell.front() == '"') cell = cell.substr(1, cell.size() - 2);
      if (!text[c] && !is_gap_word(cell) && !parse_cell(cell, value, state)) text[c] = 1;
    }
  std::vector<std::string> found;
  for (std::size_t c = 0; c < text.size(); ++c)
    if (text[c]) found.push_back(log.columns()[c]);
  return found;
}

Numbers read_numbers(const std::string& path, const std::string& name) {
  Numbers read;
  read.others = columns_of_text(path, name);
  CsvReader log(path, name);
  if (!log.has("time")) throw InputError(name, log.header_line(), "header", "no column time", "times, in s");
  const int time = log.ask("time");
  std::vector<int> slots;
  for (const std::string& column : log.columns())
    if (column != "time" && !std::count(read.others.begin(), read.others.end(), column)) {
      read.columns.push_back(column), slots.push_back(log.ask(column));
      log.take_gap_words(slots.back());
    }
  read.values.resize(slots.size());
  while (log.next()) {
    if (log.state(time) != CellState::number) throw InputError(name, log.line(), "column time", "no number", "times, in s");
    read.time.push_back(log.value(time));
    for (std::size_t c = 0; c < slots.size(); ++c)
      read.values[c].push_back(log.state(slots[c]) == CellState::number ? log.value(slots[c]) : std::nan(""));
  }
  if (read.time.empty()) throw InputError(name, 0, "", "no rows", "a log");
  return read;
}

}  // namespace

void LogFile::resample(double rate, const CommonOptions& common) {
  keep(common);
  const Numbers read = read_numbers(path_, name_);
  const auto [first, last] = std::minmax_element(read.time.begin(), read.time.end());
  if (!((*last - *first) * rate < 1e8))
    throw InputError(name_, 0, "column time", "a log of " + std::to_string(*last - *first) + " s",
                     "at most 1e8 rows at this --rate");
  const Resampled made = sparsedyn::resample(read.columns, read.time, read.values, rate);
  if (!folder_) folder_ = std::make_unique<ScratchFolder>("sparsedyn-log");
  const std::string path = *folder_ / "even.csv";
  CsvWriter out(path, OutputFile::Belongs::to_nobody);
  std::vector<std::string> header = read.columns;
  header.insert(header.begin(), "time");
  out.header(header);
  long gaps = 0;
  for (std::size_t i = 0; i < made.time.size(); ++i) {
    out.number(made.time[i]);
    bool gap = false;
    for (const std::vector<double>& column : made.values) {
      gap = gap || !std::isfinite(column[i]);
      std::isfinite(column[i]) ? out.number(column[i]) : out.empty();
    }
    gaps += gap;
    out.end_row();
  }
  out.commit();
  if (made.late > 0)
    warn(common, name_ + ": rows that are earlier than the one before, put in order: " + std::to_string(made.late));
  if (made.repeated > 0)
    warn(common, name_ + ": rows at the time of a later one, which counts: " + std::to_string(made.repeated));
  if (gaps > 0)
    warn(common, name_ + ": rows of the even clock without a sample near enough on both sides: " + std::to_string(gaps));
  if (!read.others.empty()) warn(common, name_ + ": left out, for they are no numbers: " + listing(read.others));
  note(common, name_ + ": " + how_many(static_cast<long>(made.time.size()), "row", "rows") +
                   " on an even clock, whose lines messages count");
  path_ = path;
  CsvReader::set_dialect({});  // what was written
}

}  // namespace sparsedyn::cli
