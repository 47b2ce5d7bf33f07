// What reaches a live run from outside, by the first byte: datagrams of lines or of frames, a change, a record of a run.
#include <sys/mman.h>
#include <unistd.h>

#include <cmath>

#include "live/packets.hpp"
#include "reading.hpp"
#include "sparsedyn/live/live_record.hpp"

namespace {

using namespace sparsedyn;

/// Two numbers, a contact's flag, the components of an orientation, a number that may be left out.
const std::vector<LiveReading>& readings() {
  static const std::vector<LiveReading> all{
      {{"y.a", "a"}, "a", false, 0, false},       {{"tau.joint1"}, "torques", false, 0, false},
      {{"contact.foot"}, "foot", false, 0, true}, {{"q.base.qx"}, "", false, 0, false},
      {{"q.base.qy"}, "", false, 0, false},       {{"q.base.qz"}, "", false, 0, false},
      {{"q.base.qw"}, "", false, 0, false},       {{"fx.hand.fz"}, "wrench", true, 2, false}};
  return all;
}

/// An estimate of these readings, of a robot of two links.
class NamesOnly : public LiveEstimate {
 public:
  NamesOnly() { readings_ = readings(), links_ = {"arm", "hand"}; }
  const std::vector<std::string>& columns() const override { return links_; }
  bool over_time() const override { return false; }
  LiveAnswer answer(const double*, double, double*) noexcept override { return {}; }
  double innovation(std::size_t) const noexcept override { return 0; }
  bool set_sigma(std::size_t, double) noexcept override { return false; }
};

const LiveEstimate& names() {
  static const NamesOnly all;
  return all;
}

class Counted : public RowTaker {
 public:
  void row(double stamp, const double* values) noexcept override {
    ++rows;
    if (!std::isfinite(stamp)) fuzz::fault("a row whose stamp is not finite");
    for (std::size_t k = 0; k < readings().size(); ++k)
      if (std::isinf(values[k])) fuzz::fault("a reading that is infinite");
  }
  long rows = 0;
};

/// The first datagram names columns; where `bytes` bring other names, these hold.
void packets(LiveFormat format, const std::string& bytes) {
  PacketReader reader(readings(), format);
  NamedColumns columns;
  if (!reader.bind("time,y.a,tau.joint1,contact.foot,x", columns)) fuzz::fault("a header that is refused");
  Counted taker;
  reader.datagram(bytes, columns, taker);
  if (reader.counts().rows != taker.rows) fuzz::fault("another number of rows than is counted");
  if (reader.counts().malformed > 0 && reader.counts().why.empty()) fuzz::fault("a refusal without a word");
}

bool same_payload(const LivePayload& a, const LivePayload& b) {
  const Sym3<double>&I = a.inertia, &J = b.inertia;
  return a.link == b.link && a.mass == b.mass && a.at[0] == b.at[0] && a.at[1] == b.at[1] && a.at[2] == b.at[2] &&
         I.xx == J.xx && I.xy == J.xy && I.xz == J.xz && I.yy == J.yy && I.yz == J.yz && I.zz == J.zz;
}

/// A change that is taken says the same as its text, read again.
void change(const std::string& line) {
  std::string why;
  const std::vector<LiveChange> found = read_live_changes(line, names(), why);
  if (found.empty() == why.empty()) fuzz::fault("neither a change nor a reason, or both");
  for (const LiveChange& each : found) {
    const std::vector<LiveChange> again = read_live_changes(live_change_text(each, names()), names(), why);
    const auto same = [](double x, double y) { return x == y || (std::isnan(x) && std::isnan(y)); };
    if (again.size() != 1 || again[0].kind != each.kind || again[0].reading != each.reading ||
        !same(again[0].value, each.value) || !same_payload(again[0].payload, each.payload))
      fuzz::fault("a change that is another when it is read again: " + live_change_text(each, names()));
  }
}

/// The file as a whole, from the head to the last input.
int record(const std::uint8_t* data, std::size_t size) {
  const int file = memfd_create("record", 0);
  if (file < 0 || write(file, data, size) != static_cast<ssize_t>(size)) std::abort();
  const std::string path = "/proc/self/fd/" + std::to_string(file);
  const int done = fuzz::attempt(path, [&] {
    LiveRecordReader reader(path);
    LiveInput input;
    std::vector<double> values;
    while (reader.next(input, values, names()))
      if (input.kind == LiveInput::Kind::readings && (!std::isfinite(input.stamp) || values.size() != readings().size()))
        fuzz::fault("readings that are none");
  });
  close(file);
  return done;
}

}  // namespace

/// Writes a record to the file SPARSEDYN_SEED, where that is set: what the mutations begin with.
extern "C" int LLVMFuzzerInitialize(int*, char***) {
  const char* path = std::getenv("SPARSEDYN_SEED");
  if (!path) return 0;
  const std::string begun = std::string(path) + ".begun";
  {
    LiveRecordWriter writer(begun, {names().names(), {"-", "udp:9000"}, {{"rate", "100"}}});
    const std::vector<double> values(readings().size(), 0.5);
    writer.add({LiveInput::Kind::readings, 0, 0.5, 7, {}}, values.data(), names());
    writer.add({LiveInput::Kind::change, 0, 0, 8, {LiveChange::Kind::flag, 2, 1}}, nullptr, names());
    writer.add({LiveInput::Kind::readings, 1, 0.6, 9, {}}, values.data(), names());
    writer.end(11, {1, 2, 3, 4});
  }
  std::FILE* const from = std::fopen(begun.c_str(), "rb");
  std::FILE* const to = std::fopen(path, "wb");
  if (!from || !to) std::abort();
  std::fputc('3', to);
  for (int byte = std::fgetc(from); byte != EOF; byte = std::fgetc(from)) std::fputc(byte, to);
  std::fclose(from), std::fclose(to), std::remove(begun.c_str());
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string bytes = fuzz::as_text(data + 1, size - 1);
  switch (data[0] % 4) {
    case 0: packets(LiveFormat::csv, bytes); return 0;
    case 1: packets(LiveFormat::f64, bytes); return 0;
    case 2: change(bytes); return 0;
    default: return record(data + 1, size - 1);
  }
}
