// What was measured of this machine is kept, and only what was measured here.
#include "native/device/speeds.h"

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "native/base/test.h"

namespace {

using codicil::device::Speeds;
using codicil::kernels::Type;

struct Folder {
  std::filesystem::path path = std::filesystem::temp_directory_path() / ("codicil-speeds-" + std::to_string(getpid()));
  Folder() { std::filesystem::create_directory(path); }
  ~Folder() { std::filesystem::remove_all(path); }
  std::string kept() const {
    std::ifstream in(path / "machine.speeds");
    std::ostringstream text;
    text << in.rdbuf();
    return text.str();
  }
  void keep(const std::string& text) const { std::ofstream(path / "machine.speeds") << text; }
};

}  // namespace

CODICIL_TEST(keeps_what_was_measured_and_measures_anew_what_another_version_kept) {
  const Folder folder;
  double measured = 0;
  { measured = Speeds(1, folder.path.string()).barrier(); }
  CHECK(measured > 1000);  // a meeting of one thread takes less than a millisecond
  const std::string text = folder.kept();
  const std::size_t at = text.find("barrier x1\t");
  REQUIRE(at != std::string::npos);
  folder.keep(text.substr(0, at) + "barrier x1\t7\n");
  CHECK_EQ(Speeds(1, folder.path.string()).barrier(), 7.0);
  folder.keep("codicil-speeds-0" + text.substr(text.find('\t'), at - text.find('\t')) + "barrier x1\t7\n");
  CHECK(Speeds(1, folder.path.string()).barrier() > 1000);
  folder.keep(text.substr(0, at) + "barrier x1\tfast\n");
  CHECK(Speeds(1, folder.path.string()).barrier() > 1000);
}

CODICIL_TEST(measures_reading_of_a_file_by_many_requests_and_by_few_that_are_waited_for) {
  const Folder folder;
  const std::string file = (folder.path / "weights").string();
  std::ofstream(file) << std::string(std::size_t{8} << 20, 'x');
  Speeds speeds(1, folder.path.string());
  CHECK(speeds.disk(file) > 1e6);
  CHECK(speeds.disk(file, 1) > 1e6);
  CHECK_EQ(speeds.disk(file + ".absent", 5), 1.0);  // the least rate, so that a plan says that it takes for ever
  CHECK(speeds.disk(file, 5) > 1e6);                // and nothing that is kept
}

CODICIL_TEST(measures_one_token_over_about_as_many_weights_as_a_model_has) {
  const Folder folder;
  {
    Speeds speeds(1, folder.path.string());
    const codicil::kernels::Ops& ops = codicil::kernels::best_cpu();
    CHECK(speeds.one_token(ops, Type::q4_0, 1e6) > 1e6);
    CHECK_EQ(speeds.one_token(ops, Type::q4_0, 2e7), speeds.one_token(ops, Type::q4_0, 1e6));
    CHECK(speeds.one_token(ops, Type::q4_0, 40e6) > 1e6);
    CHECK(speeds.packing(ops, Type::q4_0) > 1e6);
  }
  const std::string text = folder.kept();
  CHECK(text.find("one q4_0 24 MiB x1") != std::string::npos);
  CHECK(text.find("one q4_0 48 MiB x1") != std::string::npos);
  CHECK(text.find("one q4_0 192 MiB") == std::string::npos);
}
