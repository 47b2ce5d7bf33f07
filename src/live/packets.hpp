// Bytes that arrive as rows of readings. Two forms:
//
//   csv   lines; one with a cell `time` names the columns of the lines behind it
//   f64   frames of little-endian numbers: "SDL1", kind (u32: 1 names, 2 a row), count (u32: bytes of names, or numbers), a
//   hash
//         of the names (u32, FNV-1a of their bytes), then as many bytes of names as the line of a CSV has them, or numbers
//
// What is none of these is counted and named, and the next row is read. Memory is bounded, whatever arrives.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sparsedyn/live/live_estimate.hpp"
#include "sparsedyn/live/live_receiver.hpp"

namespace sparsedyn {

constexpr std::size_t longest_line = 65536;  // bytes
constexpr std::size_t most_cells = 4096;

/// What the columns of one sender mean.
struct NamedColumns {
  std::vector<std::string> names;  // as the header has them
  std::vector<int> from;           // of each reading its column, or −1; two may share one
  std::vector<char> is_read;       // of each column; empty: no header has come
  std::size_t time = 0;            // the column of stamps
  std::uint32_t hash = 0;
};

/// What of a stream has been read and is no whole line or frame yet.
struct UnreadBytes {
  std::string bytes = {};
  bool skipping = false;  // a line that is too long, up to its end
  long lines = 0;         // that ended before
};

/// FNV-1a of 32 bits.
std::uint32_t hash_of_names(std::string_view names) noexcept;

/// Where rows go.
class RowTaker {
 public:
  virtual ~RowTaker() = default;
  /// Readings in the order of the estimate, NaN where there is none.
  virtual void row(double stamp, const double* values) noexcept = 0;
  /// The rows that follow have these columns, as that line of a stream says (from 1; 0: a datagram or a frame).
  virtual void named(const NamedColumns&, long /*line*/) {}
};

/// Reads packets of one form. Counts what is wrong.
class PacketReader {
 public:
  PacketReader(const std::vector<LiveReading>& readings, LiveFormat format);

  /// A whole datagram.
  void datagram(std::string_view bytes, NamedColumns& columns, RowTaker& taker);
  /// Bytes of a stream, beginning with what `rest` holds of before; what is no whole line or frame stays in `rest`, whose size
  /// is bounded.
  void stream(std::string_view bytes, UnreadBytes& rest, NamedColumns& columns, RowTaker& taker);
  /// The stream ended. is_whole: of a file, whose last line may lack its end; of a pipe or a socket such a line is one that was
  /// cut off, and refused.
  void end(UnreadBytes& rest, bool is_whole, NamedColumns& columns, RowTaker& taker);

  /// The names of columns, as a header has them; false, and nothing is changed, where they have no `time` or one of them twice.
  bool bind(std::string_view names, NamedColumns& columns);

  const LiveInputCounts& counts() const { return counts_; }
  LiveInputCounts& counts() { return counts_; }
  /// NamedColumns of the last header that no sensor reads; asked for once.
  std::vector<std::string> take_passed_over();

 private:
  std::size_t frame(std::string_view bytes, NamedColumns& columns, RowTaker& taker);
  void line(std::string_view text, NamedColumns& columns, RowTaker& taker);
  void numbers(std::string_view bytes, const NamedColumns& columns, RowTaker& taker);
  void cells(const NamedColumns& columns, RowTaker& taker);
  void hand_on(const NamedColumns& columns, RowTaker& taker);
  int place_of(const std::vector<std::string>& names) const;
  void refuse(const std::string& why);

  const std::vector<LiveReading>& readings_;
  LiveFormat format_;
  std::vector<std::string_view> cells_;
  std::vector<double> numbers_, values_;  // by column; by reading
  std::vector<std::string> passed_over_;
  long line_ = 0;  // of a stream, that is read; 0: of none
  LiveInputCounts counts_;
};

}  // namespace sparsedyn
