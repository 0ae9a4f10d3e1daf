// Tests of status, file and log: ranges, alignment, refusals, one sink.
// Scratch files live in the system's temporary folder and go with the test.
#include <unistd.h>
#include <cstdio>
#include <cstring>
#include <set>
#include <string>

#include "native/base/file.h"
#include "native/base/log.h"
#include "native/base/test.h"

using namespace std::string_literals;
using codicil::AlignedBuffer;
using codicil::Code;
using codicil::File;

namespace {

// A file that is gone when the test ends.
struct Scratch {
  std::string path;
  explicit Scratch(const std::string& content) {
    char name[] = "/tmp/codicil-test-XXXXXX";
    const int descriptor = mkstemp(name);
    path = name;
    if (descriptor >= 0 && write(descriptor, content.data(), content.size()) == static_cast<ssize_t>(content.size())) close(descriptor);
  }
  ~Scratch() { unlink(path.c_str()); }
};

}  // namespace

CODICIL_TEST(names_every_code_once) {
  std::set<std::string_view> names;
  for (int i = 0; i <= static_cast<int>(Code::internal); ++i) names.insert(codicil::code_name(static_cast<Code>(i)));
  CHECK_EQ(names.size(), static_cast<std::size_t>(Code::internal) + 1);
  CHECK_EQ(codicil::code_name(Code::model_invalid), "model_invalid");
}

CODICIL_TEST(reads_a_range_into_aligned_memory) {
  std::string content(5 << 20, '\0');
  for (std::size_t i = 0; i < content.size(); ++i) content[i] = static_cast<char>(i * 31 >> 3);
  const Scratch scratch(content);
  auto file = File::open(scratch.path);
  REQUIRE_OK(file);
  CHECK_EQ(file.value().size(), content.size());
  for (const std::size_t bytes : {std::size_t{1}, std::size_t{1000}, std::size_t{4 << 20}}) {
    auto range = file.value().read_range(4097, bytes);
    REQUIRE_OK(range);
    CHECK_EQ(range.value().size(), bytes);
    CHECK_EQ(reinterpret_cast<std::uintptr_t>(range.value().data()) % (bytes >= (2 << 20) ? 2 << 20 : 64), 0u);
    CHECK(std::memcmp(range.value().data(), content.data() + 4097, bytes) == 0);
  }
}

CODICIL_TEST(refuses_ranges_outside_the_file_and_files_that_are_not_there) {
  const Scratch scratch("0123456789");
  auto file = File::open(scratch.path);
  REQUIRE_OK(file);
  CHECK_STATUS(file.value().read_range(5, 6), Code::io_failed, "the file has 10");
  CHECK_STATUS(file.value().read_range(~0ull, 2), Code::io_failed, "the file has 10");
  CHECK_OK(file.value().read_range(10, 0));
  CHECK_STATUS(File::open("/tmp/codicil/not/there"), Code::not_found, "/tmp/codicil/not/there");
  CHECK_STATUS(File::open("/tmp"), Code::io_failed, "ordinary file");
}

CODICIL_TEST(gives_zeroed_memory_and_refuses_what_no_machine_has) {
  auto buffer = AlignedBuffer::allocate(3 << 20);
  REQUIRE_OK(buffer);
  for (std::size_t i = 0; i < buffer.value().size(); i += 4096) CHECK(buffer.value().data()[i] == std::byte{0});
  AlignedBuffer moved = std::move(buffer).value();
  CHECK_EQ(moved.size(), 3u << 20);
  CHECK_STATUS(AlignedBuffer::allocate(std::size_t{1} << 60), Code::out_of_memory, "bytes of memory");
}

CODICIL_TEST(gives_records_to_the_sink_only_while_there_is_one) {
  std::string seen;
  codicil::log(codicil::LogLevel::info, "lost");
  codicil::set_log_sink(
      [](void* context, const codicil::LogRecord& record) {
        *static_cast<std::string*>(context) += std::string(record.event) + " " + std::string(record.fields[0].key) + "=" + record.fields[0].value;
      },
      &seen);
  codicil::log(codicil::LogLevel::warning, "page_evicted", {{"bytes", "7"}});
  codicil::set_log_sink(nullptr, nullptr);
  CHECK(!codicil::log_enabled());
  codicil::log(codicil::LogLevel::info, "lost");
  CHECK_EQ(seen, "page_evicted bytes=7"s);
}
