// A tracker in a loop of its own: every sample, no heap, and the same bits from its record.
#include <catch2/catch.hpp>
#include <chrono>
#include <thread>

#include "collected.hpp"
#include "sparsedyn/live/live_loop.hpp"
#include "sparsedyn/live/live_record.hpp"
#include "support/heap.hpp"
#include "support/temporary_folder.hpp"
#include "support/walking_robot.hpp"

using namespace sparsedyn;
using namespace sparsedyn::test;

namespace {

std::unique_ptr<LiveEstimate> walking_tracker() {
  const auto system = std::make_shared<const System>(walking_quadruped(), walking_sensors());
  TrackerOptions wanted;
  wanted.deviations = true;
  return live_tracker(Tracker(system, wanted), *system);
}

/// Rows as fast as they are taken, some of them late or out of order, into a loop; what comes out.
Collected through_loop(LiveLoop& loop, const WalkLog& log, LiveRecordWriter* record) {
  Collected out(loop.estimate().columns().size());
  loop.count_allocations(allocations);
  loop.start();
  std::thread sender([&] {
    for (std::size_t k = 0; k < log.readings.size(); ++k) {
      std::vector<double> row = log.readings[k];
      if (k % 97 == 50) row[3] = std::nan("");
      const std::size_t late = k % 61 == 30 ? k - 1 : k;
      loop.readings(0, log.dt * static_cast<double>(late), row.data());
      if (k == 100) loop.change({LiveChange::Kind::offset, 12, 1e-3});
      std::this_thread::sleep_for(std::chrono::microseconds(200));
    }
    loop.end();
  });
  const auto take = [&] {
    while (const auto row = loop.next_input()) {
      if (record) record->add(*row.head, row.values, loop.estimate());
      loop.pop_input();
    }
    while (const auto row = loop.next_sample()) {
      out.sample(row.head->time, 0, row.head->answer, row.values);
      loop.pop_sample();
    }
    while (const auto row = loop.next_finding()) {
      out.finding(*row.head);
      loop.pop_finding();
    }
  };
  while (loop.wait(0.1)) take();
  take();
  sender.join();
  if (record) record->end(loop.ended_at());
  return out;
}

}  // namespace

TEST_CASE("a loop answers every sample without the heap, and its record gives the same bits") {
  const TemporaryFolder folder;
  const WalkLog log = walk(1000, 250, 3);
  for (const double rate : {0.0, 250.0, 333.0}) {
    INFO(rate);
    LiveOptions options;
    options.clock.rate = rate, options.clock.wait = 0.002;
    LiveLoopOptions how;
    how.record = true;
    const std::string path = folder / "run.mcap";
    Collected live(0);
    {
      LiveLoop loop(walking_tracker(), options, how);
      LiveRecordWriter record(path, {loop.estimate().names(), {"-"}, {}});
      live = through_loop(loop, log, &record);
      CHECK(loop.allocations() == 0);
      const LiveLosses lost = loop.losses();
      CHECK(lost.readings + lost.samples + lost.findings + lost.inputs == 0);
      CHECK(loop.delays().count() > 900);
      CHECK(loop.delays().quantile(0.5) <= loop.delays().quantile(0.99));
      CHECK(loop.delays().quantile(0.99) <= loop.delays().worst());
    }
    CHECK(live.rows.size() >= 980);
    CHECK(live.failed == 0);

    LiveRecordReader record(path);
    CHECK(record.head().sources == std::vector<std::string>{"-"});
    LiveCore core(walking_tracker(), options);
    Collected again(core.estimate().columns().size());
    LiveInput input;
    std::vector<double> values;
    while (record.next(input, values, core.estimate())) {
      if (input.kind == LiveInput::Kind::readings)
        core.readings(input.source, input.stamp, input.arrival, values.data(), again);
      else
        core.change(input.change, input.arrival, again);
    }
    core.until(record.ended_at(), again);
    core.finish(again);
    CHECK(!record.is_cut_off());
    CHECK(same_bits(live.rows, again.rows));
    CHECK(live.findings.size() == again.findings.size());
  }
}

TEST_CASE("a loop whose reader does not read goes on, counts what is lost, and ends when it is told to") {
  LiveLoopOptions how;
  how.queue = 16;
  LiveLoop loop(std::make_unique<HandsOn>(std::vector<std::string>{"a"}), {}, how);
  loop.start();
  for (int k = 0; k < 200; ++k) {
    const double value = k;
    loop.readings(0, 0.001 * k, &value);
    std::this_thread::sleep_for(std::chrono::microseconds(300));
  }
  CHECK(!loop.has_room());
  loop.stop();
  while (loop.wait(0.01) && !loop.next_sample()) {
  }
  CHECK(loop.losses().samples > 100);
}

TEST_CASE("delays are told to a few per cent") {
  LiveDelays delays;
  CHECK(delays.quantile(0.5) == 0);
  for (int k = 1; k <= 1000; ++k) delays.add(1000L * k);
  CHECK(delays.quantile(0.5) == Approx(5e-4).epsilon(0.07));
  CHECK(delays.quantile(0.99) == Approx(9.9e-4).epsilon(0.07));
  CHECK(delays.worst() == Approx(1e-3));
}

TEST_CASE("a wait of any length ends with the loop") {
  LiveLoop loop(std::make_unique<HandsOn>(std::vector<std::string>{"a"}), {});
  loop.start();
  loop.end();
  for (const double seconds : {1e10, -1.0, std::nan(""), 1e300})
    while (loop.wait(seconds)) {
    }
  CHECK(loop.delays().count() == 0);
}

TEST_CASE("a record says what its run had lost") {
  const TemporaryFolder folder;
  const std::string path = folder / "run.mcap";
  const HandsOn estimate({"a"});
  {
    LiveRecordWriter record(path, {estimate.names(), {"-"}, {}});
    const double value = 1;
    record.add({LiveInput::Kind::readings, 0, 0.5, 7, {}}, &value, estimate);
    record.end(9, {1, 2, 3, 4});
  }
  LiveRecordReader record(path);
  LiveInput input;
  std::vector<double> values;
  while (record.next(input, values, estimate)) {
  }
  CHECK(!record.is_cut_off());
  CHECK(record.ended_at() == 9);
  CHECK(record.lost().readings == 1);
  CHECK(record.lost().samples == 2);
  CHECK(record.lost().findings == 3);
  CHECK(record.lost().inputs == 4);
}
