// The torques of an arm at 1 kHz, from readings that arrive on a UDP socket: one thread receives, one solves without heap or
// locks, this one takes the answers. A robot stands in that sends a second of readings as lines of a CSV.
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <string>
#include <thread>

#include "sparsedyn/json/files.hpp"
#include "sparsedyn/live/live_receiver.hpp"
#include "sparsedyn/urdf/load.hpp"

using namespace sparsedyn;

/// A header, then a row each millisecond.
static void send_readings(const LiveEstimate& estimate, const LiveAddress& address, std::atomic<bool>& done) {
  const int socket = open_udp_sender(address);
  std::string line = "time";
  for (const std::string& name : estimate.names()) line += "," + name;
  auto next = std::chrono::steady_clock::now();
  for (int k = 0; k <= 1000; ++k) {
    if (::send(socket, line.data(), line.size(), 0) < 0) std::puts("a row was not sent");
    line = std::to_string(1e-3 * k);
    for (std::size_t c = 0; c < estimate.readings().size(); ++c) line += ",0.25";
    std::this_thread::sleep_until(next += std::chrono::milliseconds(1));
  }
  ::close(socket);
  done = true;
}

int main() {
  SensorSolverOptions wanted;
  wanted.outputs = {"tau"};
  const auto system = std::make_shared<const System>(load_urdf("robots/arm.urdf"), load_sensor_set("inverse-dynamics"));
  LiveLoop loop(live_solver(system, wanted), LiveOptions{},
                LiveLoopOptions{});  // .priority: SCHED_FIFO; .lock_memory: mlockall
  LiveReceiverOptions from;
  from.inputs = {read_live_address("udp:48118")};  // of this host alone
  LiveReceiver receiver(loop, from);
  for (const std::string& lacking : loop.start()) std::puts(lacking.c_str());
  receiver.start();

  std::atomic<bool> done{false};
  std::thread robot([&] { send_readings(loop.estimate(), from.inputs[0], done); });
  long samples = 0;
  int quiet = 0;
  while (loop.wait(0.2)) {
    const bool all_sent = done;
    quiet = loop.next_sample() ? 0 : quiet + 1;
    while (const auto row = loop.next_sample()) {
      if (row.head->answer.ok && samples++ == 0) std::printf("first torque at %g s: %.6f N m\n", row.head->time, row.values[0]);
      loop.pop_sample();
    }
    if (all_sent && quiet > 1) receiver.stop();  // two waits in vain: the first may end with what was taken before
  }
  robot.join();
  std::printf("%ld samples, delay %.0f us median, %.0f us at 99 %%\n", samples, 1e6 * loop.delays().quantile(0.5),
              1e6 * loop.delays().quantile(0.99));
  return samples == 1000 ? 0 : 1;
}
