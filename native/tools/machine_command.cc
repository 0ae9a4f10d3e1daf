// engine-cli machine: what this machine is and what it says of itself now, graphics processors included. What it does not tell is null.
#include "native/device/machine.h"
#include "native/device/telemetry.h"
#include "native/tools/commands.h"

namespace codicil::tools {

namespace {

void write_gpu(JsonWriter& out, const device::GpuReading& gpu) {
  out.open('{').field("name", gpu.name);
  out.field("memoryUsedBytes", gpu.memory_used_bytes)
      .field("memoryTotalBytes", gpu.memory_total_bytes)
      .field("celsius", gpu.celsius)
      .field("slowdownCelsius", gpu.slowdown_celsius)
      .field("mhz", gpu.mhz)
      .field("watts", gpu.watts)
      .field("busyPercent", gpu.busy_percent);
  out.field("throttledBy", gpu.throttled_by()).close();
}

}  // namespace

Status machine_command(const Arguments&, JsonWriter& out) {
  const device::Machine m = device::read_machine();
  const std::unique_ptr<device::Nvml> nvml = device::Nvml::load();  // asked for by a person: a GPU that sleeps is woken
  const device::Telemetry t = device::read_telemetry(".", {}, nvml.get());
  out.open('{').field("cpu", m.cpu).field("features", m.features).field("logicalCores", m.logical_cores).field("physicalCores", m.physical_cores);
  out.field("memoryTotalBytes", m.memory_total_bytes);
  out.field("memoryAvailableBytes", t.memory_available_bytes)
      .field("memorySomePercent", t.memory_some_percent)
      .field("memoryFullPercent", t.memory_full_percent)
      .field("cpuMhz", t.cpu_mhz)
      .field("cpuBaseMhz", t.cpu_base_mhz)
      .field("cpuCelsius", t.cpu_celsius)
      .field("diskFreeBytes", t.disk_free_bytes)
      .field("diskFreeInodes", t.disk_free_inodes);
  out.key("gpus").open('[');
  for (const device::GpuReading& gpu : t.gpus) write_gpu(out, gpu);
  out.close().close();
  return {};
}

}  // namespace codicil::tools
