#include "record_reader.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "io/files/run_files.hpp"
#include "io/files/system_files.hpp"
#include "sparsedyn/io/input_error.hpp"

namespace sparsedyn {
namespace {

constexpr std::size_t buffer_size = 256 * 1024, longest_record = 64 * 1024 * 1024;
constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

bool blank(std::string_view text) { return text.find_first_not_of(" \t\r") == std::string_view::npos; }

int opened(const std::string& path) {
  if (path == "-") return STDIN_FILENO;
  RunFiles::reading(path);
  return open_to_read(path);
}

}  // namespace

RecordReader::RecordReader(const std::string& path) : path_(path), file_(opened(path)), buffer_(buffer_size) {
  if (file_ < 0) throw InputError(path, 0, "", "cannot be read: " + std::string(std::strerror(errno)), "a log");
  while (filled_ < byte_order_mark.size() && fill()) {
  }
  if (std::string_view(buffer_.data(), filled_).substr(0, byte_order_mark.size()) == byte_order_mark)
    next_begin_ = byte_order_mark.size();
}

RecordReader::~RecordReader() {
  if (file_ != STDIN_FILENO && file_ >= 0) ::close(file_);
}

/// Reads more behind what is there, after moving the current record to the front; false at the end of the file.
bool RecordReader::fill() {
  if (at_end_) return false;
  if (begin_ > 0) {
    std::copy(buffer_.data() + begin_, buffer_.data() + filled_, buffer_.data());
    filled_ -= begin_;
    next_begin_ -= begin_;
    begin_ = 0;
  }
  if (filled_ == buffer_.size()) {
    if (buffer_.size() >= longest_record)
      throw InputError(path_, line_, "", "a record of more than 64 MiB", "a line end, or a quote that closes");
    buffer_.resize(2 * buffer_.size());
  }
  ssize_t n;
  const auto room = static_cast<unsigned>(buffer_.size() - filled_);  // at most longest_record
  do n = ::read(file_, buffer_.data() + filled_, room);
  while (n < 0 && errno == EINTR);
  if (n < 0) throw InputError(path_, 0, "", "cannot be read: " + std::string(std::strerror(errno)), "a log");
  filled_ += static_cast<std::size_t>(n);
  at_end_ = n == 0;
  return !at_end_;
}

/// Where `wanted` stands at or after begin_ + from, relative to begin_; npos if nowhere in the file.
std::size_t RecordReader::find(char wanted, std::size_t from) {
  for (;;) {
    const char* start = buffer_.data() + begin_ + from;
    const std::size_t length = filled_ - begin_ - from;
    if (const void* hit = length ? std::memchr(start, wanted, length) : nullptr)
      return from + static_cast<std::size_t>(static_cast<const char*>(hit) - start);
    from += length;
    if (!fill()) return std::string_view::npos;
  }
}

/// Makes the record end before the line end found there (relative to begin_), or at the end of the file.
void RecordReader::end_record(std::size_t line_end) {
  const bool found = line_end != std::string_view::npos;
  size_ = found ? line_end : filled_ - begin_;
  next_begin_ = begin_ + size_ + (found ? 1 : 0);
  if (size_ > 0 && buffer_[begin_ + size_ - 1] == '\r') --size_;
}

bool RecordReader::next() {
  for (;;) {
    begin_ = next_begin_;
    line_ = lines_passed_ + 1;
    const std::size_t line_end = find('\n', 0);
    if (line_end == std::string_view::npos && begin_ == filled_) return false;
    end_record(line_end);
    ++lines_passed_;
    if (!blank(record())) return true;
  }
}

bool RecordReader::waits() {
  for (std::size_t searched = 0;;) {
    const char* const next = buffer_.data() + next_begin_;
    const std::size_t length = filled_ - next_begin_;
    const void* const hit = length > searched ? std::memchr(next + searched, '\n', length - searched) : nullptr;
    if (hit) {
      const auto line_end = static_cast<std::size_t>(static_cast<const char*>(hit) - next);
      if (!blank({next, line_end})) return false;
      next_begin_ += line_end + 1, searched = 0;
      ++lines_passed_;
      continue;
    }
    searched = length;
    if (!at_end_ && !has_arrived(file_)) return true;
    if (!fill()) return false;
  }
}

bool RecordReader::extend() {
  const std::size_t from = next_begin_ - begin_;
  const std::size_t quote = find('"', from);
  if (quote == std::string_view::npos) return false;
  const std::size_t line_end = find('\n', quote);
  const char* const record = buffer_.data() + begin_;
  lines_passed_ += 1 + static_cast<long>(std::count(record + from, record + quote, '\n'));
  end_record(line_end);
  return true;
}

}  // namespace sparsedyn
