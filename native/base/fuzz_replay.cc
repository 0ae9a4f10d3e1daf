// main() of a fuzz target in the ordinary tests: every kept input of the folder that has the target's name once more, without libFuzzer.
//
// The folder is found by the program's own name (build/native/tests/native-model-gguf_fuzz -> native/model/gguf_fuzz), from the root of the checkout.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

int main(int, char** argv) {
  std::string folder = std::filesystem::path(argv[0]).filename().string();
  std::replace(folder.begin(), folder.end(), '-', '/');
  int replayed = 0;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    std::ifstream file(entry.path(), std::ios::binary);
    const std::vector<char> bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    std::printf("replaying %s\n", entry.path().c_str());  // the last line of a run that dies
    std::fflush(stdout);
    LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
    ++replayed;
  }
  if (replayed == 0) {
    std::printf("expected inputs in %s, found none: run from the root of the checkout\n0 passed, 1 failed, 0 skipped\n", folder.c_str());
    return 1;
  }
  std::printf("%d passed, 0 failed, 0 skipped\n", replayed);
  return 0;
}
