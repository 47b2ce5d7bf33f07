#include "sparsedyn/live/live_record.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstring>
#include <utility>

#include "io/suggestions.hpp"
#include "mcap.hpp"
#include "sparsedyn/io/input_error.hpp"

namespace sparsedyn {
namespace {

constexpr const char* settings_name = "sparsedyn.live";
constexpr const char* source_topic = "/source/";
constexpr std::uint64_t longest_record = 64 * 1024 * 1024;  // bytes

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  for (std::size_t end = text.find('\n'); end != std::string_view::npos; end = text.find('\n')) {
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(end + 1);
  }
  return lines;
}

constexpr std::pair<const char*, long LiveLosses::*> losses_by_name[] = {{"readings", &LiveLosses::readings},
                                                                         {"samples", &LiveLosses::samples},
                                                                         {"findings", &LiveLosses::findings},
                                                                         {"inputs", &LiveLosses::inputs}};

/// Lines `NAME COUNT`; other names are passed over. False: a count is none.
bool read_losses(std::string_view text, LiveLosses& lost) {
  for (const std::string& line : lines_of(text))
    for (const auto& [name, count] : losses_by_name) {
      const std::size_t size = std::strlen(name);
      if (line.compare(0, size, name) != 0 || line.compare(size, 1, " ") != 0) continue;
      const char* const end = line.data() + line.size();
      const auto [read_to, error] = std::from_chars(line.data() + size + 1, end, lost.*count);
      if (error != std::errc() || read_to != end || lost.*count < 0) return false;
    }
  return true;
}

std::string joined(const std::vector<std::string>& lines) {
  std::string all;
  for (const std::string& line : lines) all += line + "\n";
  return all;
}

std::uint64_t bits_of(double x) {
  std::uint64_t bits;
  std::memcpy(&bits, &x, sizeof bits);
  return bits;
}

double double_of(std::uint64_t bits) {
  double x;
  std::memcpy(&x, &bits, sizeof x);
  return x;
}

std::string channel_record(std::uint16_t id, std::uint16_t schema, const std::string& topic, const std::string& encoding,
                           const std::map<std::string, std::string>& metadata) {
  std::string content;
  mcap::put(content, id), mcap::put(content, schema);
  mcap::put_text(content, topic), mcap::put_text(content, encoding);
  mcap::put_map(content, metadata);
  return mcap::record(mcap::channel, content);
}

/// errno of a file that cannot be made or written; 0: it can be. Nothing is changed.
int why_not_writable(const std::string& path) {
  struct stat there;
  if (::stat(path.c_str(), &there) == 0) {
    if (S_ISDIR(there.st_mode)) return EISDIR;
    return ::access(path.c_str(), W_OK) == 0 ? 0 : errno;
  }
  if (errno != ENOENT) return errno;
  const std::size_t slash = path.rfind('/');
  const std::string folder = slash == std::string::npos ? "." : path.substr(0, slash + 1);
  return ::access(folder.c_str(), W_OK | X_OK) == 0 ? 0 : errno;
}

/// Header, settings, the schema of readings, channels: 1 … of sources, then of changes, then of the end.
std::string beginning(const LiveRecordHead& head) {
  std::string all(mcap::magic), content;
  mcap::put_text(content, ""), mcap::put_text(content, "sparsedyn");
  all += mcap::record(mcap::header, content);
  content.clear();
  mcap::put_text(content, settings_name);
  std::map<std::string, std::string> settings = head.settings;
  settings["version"] = "1";
  mcap::put_map(content, settings);
  all += mcap::record(mcap::metadata, content);
  content.clear();
  mcap::put(content, std::uint16_t{1});
  mcap::put_text(content, "sparsedyn.readings"), mcap::put_text(content, "x-lines"),
      mcap::put_text(content, joined(head.names));
  all += mcap::record(mcap::schema, content);
  std::uint16_t id = 1;
  for (std::size_t k = 0; k < head.sources.size(); ++k)
    all += channel_record(id++, 1, source_topic + std::to_string(k), "x-f64le", {{"input", head.sources[k]}});
  all += channel_record(id++, 0, "/change", "x-text", {});
  return all + channel_record(id, 0, "/end", "x-text", {});
}

}  // namespace

LiveRecordWriter::LiveRecordWriter(const std::string& path, const LiveRecordHead& head)
    : path_(path),
      file_(nullptr, &std::fclose),
      beginning_(beginning(head)),
      width_(head.names.size()),
      sources_(head.sources.size()) {
  if (const int reason = why_not_writable(path); reason != 0)
    throw InputError(path, 0, "", std::string("cannot be written: ") + std::strerror(reason), "a file that can be");
}

void LiveRecordWriter::begin() {
  if (file_) return;
  file_.reset(std::fopen(path_.c_str(), "wbe"));
  if (!file_) throw InputError(path_, 0, "", std::string("cannot be written: ") + std::strerror(errno), "a file that can be");
  write(beginning_);
  beginning_.clear();
}

LiveRecordWriter::~LiveRecordWriter() = default;

void LiveRecordWriter::write(const std::string& bytes) {
  if (std::fwrite(bytes.data(), 1, bytes.size(), file_.get()) != bytes.size())
    throw InputError(path_, 0, "", std::string("cannot be written: ") + std::strerror(errno), "a file that can be");
}

void LiveRecordWriter::flush() {
  begin();
  if (std::fflush(file_.get()) != 0)
    throw InputError(path_, 0, "", std::string("cannot be written: ") + std::strerror(errno), "a file that can be");
}

void LiveRecordWriter::message(std::uint16_t id, std::int64_t log_time, std::int64_t publish_time, const std::string& data) {
  begin();
  bytes_.clear();
  mcap::put(bytes_, std::uint8_t{mcap::message});
  mcap::put(bytes_, static_cast<std::uint64_t>(22 + data.size()));
  mcap::put(bytes_, id), mcap::put(bytes_, ++sequence_);
  mcap::put(bytes_, log_time), mcap::put(bytes_, publish_time);
  bytes_ += data;
  write(bytes_);
}

void LiveRecordWriter::add(const LiveInput& input, const double* values, const LiveEstimate& estimate) {
  data_.clear();
  if (input.kind == LiveInput::Kind::change) {
    data_ = live_change_text(input.change, estimate);
    return message(static_cast<std::uint16_t>(sources_ + 1), input.arrival, input.arrival, data_);
  }
  mcap::put(data_, bits_of(input.stamp));
  for (std::size_t k = 0; k < width_; ++k) mcap::put(data_, bits_of(values[k]));
  const bool fits = input.stamp >= 0 && input.stamp < 9e9;
  message(static_cast<std::uint16_t>(input.source + 1), input.arrival, fits ? std::llround(1e9 * input.stamp) : 0, data_);
}

void LiveRecordWriter::end(std::int64_t at, const LiveLosses& lost) {
  std::string lines;
  for (const auto& [name, count] : losses_by_name) lines += std::string(name) + " " + std::to_string(lost.*count) + "\n";
  message(static_cast<std::uint16_t>(sources_ + 2), at, at, lines);
  std::string content;
  mcap::put(content, std::uint32_t{0});
  write(mcap::record(mcap::data_end, content));
  content.clear();
  mcap::put(content, std::uint64_t{0}), mcap::put(content, std::uint64_t{0}), mcap::put(content, std::uint32_t{0});
  write(mcap::record(mcap::footer, content) + std::string(mcap::magic));
  flush();
}

LiveRecordReader::LiveRecordReader(const std::string& path)
    : path_(path), file_(std::fopen(path.c_str(), "rbe"), &std::fclose) {
  if (!file_) throw InputError(path, 0, "", std::string("cannot be read: ") + std::strerror(errno), "a record of a live run");
  char first[8];
  if (std::fread(first, 1, sizeof first, file_.get()) != sizeof first || std::string_view(first, sizeof first) != mcap::magic)
    throw InputError(path, 0, "beginning", "no MCAP file", "a record of a live run");
  place_ = sizeof first;
  bool ours = false;
  while (record(ahead_kind_, ahead_) && ahead_kind_ != mcap::message && ahead_kind_ != mcap::data_end) {
    mcap::Content content(ahead_);
    if (ahead_kind_ == mcap::metadata && content.text() == settings_name) {
      head_.settings = content.map();
      ours = head_.settings["version"] == "1";
    } else if (ahead_kind_ == mcap::schema) {
      content.number<std::uint16_t>(), content.text(), content.text();
      head_.names = lines_of(content.text());
    } else if (ahead_kind_ == mcap::channel) {
      channel(ahead_);
    }
    if (!content.good()) fail("a record that ends too early", "a whole one");
  }
  if (!ours) fail("an MCAP file without metadata " + std::string(settings_name) + " of version 1", "a record of a live run");
}

LiveRecordReader::~LiveRecordReader() = default;

void LiveRecordReader::fail(const std::string& found, const std::string& expected) const {
  throw InputError(path_, 0, "byte " + std::to_string(place_), found, expected);
}

/// False where the file ends, within a record too; then `kind` is 0, so that nobody reads what there is of `content`.
bool LiveRecordReader::record(std::uint8_t& kind, std::string& content) {
  char head[9];
  kind = 0;
  if (std::fread(head, 1, sizeof head, file_.get()) != sizeof head) return false;
  mcap::Content read(std::string_view(head, sizeof head));
  const auto found = read.number<std::uint8_t>();
  const auto size = read.number<std::uint64_t>();
  if (size > longest_record) fail("a record of " + std::to_string(size) + " bytes", "at most 67108864");
  content.resize(size);
  if (std::fread(content.data(), 1, size, file_.get()) != size) return false;
  place_ += sizeof head + size;
  kind = found;
  return true;
}

void LiveRecordReader::channel(const std::string& bytes) {
  mcap::Content content(bytes);
  const auto id = content.number<std::uint16_t>();
  content.number<std::uint16_t>();
  Channel found{std::string(content.text()), -1};
  content.text();
  const auto metadata = content.map();
  if (!content.good()) fail("a channel that ends too early", "a whole one");
  if (found.topic.compare(0, std::strlen(source_topic), source_topic) == 0) {
    found.source = static_cast<int>(head_.sources.size());
    const auto input = metadata.find("input");
    head_.sources.push_back(input == metadata.end() ? "" : input->second);
  }
  channels_[id] = found;
}

bool LiveRecordReader::next(LiveInput& input, std::vector<double>& values, const LiveEstimate& estimate) {
  for (;;) {
    if (!changes_.empty()) {
      input.kind = LiveInput::Kind::change, input.arrival = ended_at_, input.change = changes_.back();
      changes_.pop_back();
      return true;
    }
    std::uint8_t kind = ahead_kind_;
    if (kind != 0)
      content_ = std::move(ahead_), ahead_kind_ = 0;
    else if (!cut_off_ || !record(kind, content_))
      return false;
    if (kind == mcap::data_end || kind == mcap::footer) return false;
    if (kind == mcap::message && message(content_, input, values, estimate)) return true;
  }
}

/// True: it is readings.
bool LiveRecordReader::message(const std::string& bytes, LiveInput& input, std::vector<double>& values,
                               const LiveEstimate& estimate) {
  mcap::Content content(bytes);
  const auto channel = channels_.find(content.number<std::uint16_t>());
  content.number<std::uint32_t>();
  const auto arrival = static_cast<std::int64_t>(content.number<std::uint64_t>());
  content.number<std::uint64_t>();
  if (!content.good() || channel == channels_.end()) fail("a message of no channel", "one of a channel above it");
  if (arrival < ended_at_) fail("a message that arrived before the one above it", "times that do not go back");
  ended_at_ = arrival;
  if (channel->second.topic == "/end") {
    cut_off_ = false;
    if (!read_losses(content.rest(), lost_)) fail("losses that are no counts", "lines `NAME COUNT`");
    return false;
  }
  if (channel->second.topic == "/change") {
    std::string why;
    changes_ = read_live_changes(content.rest(), estimate, why);
    if (!why.empty()) fail(why, "a change that the sensor set takes");
    return false;
  }
  if (channel->second.source < 0) return false;
  const std::size_t width = estimate.readings().size();
  if (content.rest().size() != 8 * (width + 1))
    fail("readings of " + std::to_string(content.rest().size()) + " bytes", std::to_string(8 * (width + 1)));
  input.kind = LiveInput::Kind::readings, input.source = channel->second.source, input.arrival = arrival;
  input.stamp = double_of(content.number<std::uint64_t>());
  values.resize(width);
  for (double& value : values) value = double_of(content.number<std::uint64_t>());
  if (!std::isfinite(input.stamp)) fail("readings without a stamp", "a time");
  return true;
}

}  // namespace sparsedyn
