#include "native/device/machine.h"

#include <cstring>

#include "native/base/file.h"
#include "native/base/test.h"

namespace device = codicil::device;

CODICIL_TEST(knows_cores_and_memory_of_this_machine) {
  const device::Machine machine = device::read_machine();
  CHECK(machine.logical_cores >= 1);
  CHECK(machine.physical_cores >= 1 && machine.physical_cores <= machine.logical_cores);
  CHECK(machine.memory_total_bytes > (64u << 20));
  CHECK(machine.memory_available_bytes > 0 && machine.memory_available_bytes <= machine.memory_total_bytes);
  if (machine.cpu_celsius) CHECK(*machine.cpu_celsius > 0 && *machine.cpu_celsius < 150);
  if (machine.cpu_mhz) CHECK(*machine.cpu_mhz > 100 && *machine.cpu_mhz < 10'000);
}

CODICIL_TEST(sees_memory_that_this_process_touches) {
  const std::uint64_t before = device::resident_bytes();
  REQUIRE(before > 0);
  auto buffer = codicil::AlignedBuffer::allocate(64u << 20);
  REQUIRE_OK(buffer);
  std::memset(buffer.value().data(), 1, buffer.value().size());
  CHECK(device::resident_bytes() >= before + (48u << 20));
  CHECK(device::peak_resident_bytes() >= before + (48u << 20));  // not compared with resident_bytes(): the kernel updates the two apart
}
