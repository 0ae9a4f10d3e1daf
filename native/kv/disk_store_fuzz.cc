// libFuzzer target: a folder of the document store with one file changed, opened, read and emptied. `node tools/fuzz.mjs disk_store`.
//
// Three pages in a row, a snapshot behind the second, two owners. Nothing that is read back may differ from what was written, and what an owner had
// goes with it: whatever the file says, every walk over the links between files ends.
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "native/base/crc32c.h"
#include "native/base/fuzz_input.h"
#include "native/kv/disk_store.h"
#include "native/kv/fields.h"
#include "native/kv/page_store.h"

namespace codicil::kv {
namespace {

namespace fs = std::filesystem;

constexpr std::uint8_t kMend = 1, kExtraFile = 2;
const SnapshotShape kShape{{1, 1, 8, Format::f16, 42}, 5, 3};

using Files = std::map<std::string, std::vector<std::byte>>;  // by path inside the folder

Files read_folder(const fs::path& folder) {
  Files out;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (!entry.is_regular_file() || entry.path().filename() == "lock") continue;
    std::ifstream file(entry.path(), std::ios::binary);
    const std::string bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    const auto view = std::as_bytes(std::span(bytes));
    out[fs::relative(entry.path(), folder).string()].assign(view.begin(), view.end());
  }
  return out;
}

void write_file(const fs::path& path, std::span<const std::byte> bytes) {
  fs::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary).write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
}

std::vector<Token> tokens_of(int page, std::size_t count) {
  std::vector<Token> out;
  for (std::size_t i = 0; i < count; ++i) out.push_back(static_cast<Token>(page * 1000 + static_cast<int>(i)));
  return out;
}

// A sound folder, written once by the store itself.
struct Sound {
  fs::path folder = fs::temp_directory_path() / ("codicil_disk_store_fuzz_" + std::to_string(getpid()));
  std::array<PageName, 3> names;
  std::vector<std::byte> page = std::vector<std::byte>(kShape.page.page_bytes());
  Files files;

  Sound() {
    fs::remove_all(folder);
    fs::create_directories(folder);
    for (std::size_t i = 0; i < page.size(); ++i) page[i] = std::byte(i * 31 >> 3);
    {
      const auto store = open();
      PageName previous = first_name(kShape.page.model_fingerprint);
      for (int i = 0; i < 3; ++i) {
        const auto tokens = tokens_of(i, kPageTokens);
        names[static_cast<std::size_t>(i)] = next_name(previous, tokens);
        for (const char* owner : {"both", i == 2 ? "both" : "first"})
          store->write(names[static_cast<std::size_t>(i)], previous, tokens, page.data(), owner, [] {});
        previous = names[static_cast<std::size_t>(i)];
      }
      store->write(snapshot(), "both");
    }
    files = read_folder(folder);
    if (files.size() != 6) std::abort();  // four records, two ledgers
  }
  ~Sound() { fs::remove_all(folder); }

  std::unique_ptr<DiskStore> open() const {
    auto store = DiskStore::open(folder.string(), kShape, 1 << 20);
    if (!store.ok()) std::abort();
    return std::move(store).value();
  }

  std::shared_ptr<const Snapshot> snapshot() const {
    auto out = std::make_shared<Snapshot>();
    out->previous = names[1];
    out->position = 2 * kPageTokens + 20;
    out->rest = tokens_of(9, 20);
    out->name = snapshot_name(out->previous, out->rest);
    out->payload = std::move(AlignedBuffer::allocate(payload_bytes(kShape, 20, false)).value());
    std::memset(out->payload.data(), 7, out->payload.size());
    return out;
  }
};

void mend(std::vector<std::byte>& file) {
  if (file.size() < kPageHeaderBytes) return;
  put(std::span(file), kPageHeaderBytes - 4, crc32c(std::span(file).first(kPageHeaderBytes - 4)));
}

void read_back(const Sound& sound, DiskStore& store) {
  for (int i = 0; i < 3; ++i) {
    const auto tokens = tokens_of(i, kPageTokens);
    PageHeader header;
    const PageName& name = sound.names[static_cast<std::size_t>(i)];
    if (!store.hold(name, tokens, header)) continue;
    if (!std::equal(tokens.begin(), tokens.end(), header.tokens.begin()) || header.name != name) std::abort();
    store.release(name);
  }
  const auto wanted = sound.snapshot();
  if (store.deepest_snapshot(wanted->previous, wanted->rest) > 20) std::abort();
  const auto found = store.read_snapshot(wanted->previous, wanted->rest);
  if (found != nullptr &&
      (found->payload.size() != wanted->payload.size() || std::memcmp(found->payload.data(), wanted->payload.data(), wanted->payload.size()) != 0))
    std::abort();
}

}  // namespace
}  // namespace codicil::kv

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace codicil::kv;
  static const Sound sound;
  codicil::FuzzInput input(data, size);
  const std::uint8_t choices = input.choice();
  auto target = sound.files.begin();
  std::advance(target, input.choice() % sound.files.size());
  std::filesystem::remove_all(sound.folder);
  for (const auto& [name, bytes] : sound.files) write_file(sound.folder / name, bytes);
  std::vector<std::byte> changed = input.changed(target->second);
  if ((choices & kMend) != 0) mend(changed);
  std::string name = target->first;
  if ((choices & kExtraFile) != 0 && changed.size() >= 56 && name.ends_with(".page")) {  // under the name that it says it has
    const std::string hex = hex_name(get<PageName>(changed, 40));
    name = name.substr(0, name.find('/') + 1) + hex.substr(0, 2) + "/" + hex + ".page";
  }
  write_file(sound.folder / name, changed);
  const auto store = sound.open();
  read_back(sound, *store);
  (void)store->forget_owner("first", nullptr);
  (void)store->forget_owner("both", nullptr);
  // Whichever one file said something else: two owners and the links between the others are enough to find all three.
  for (const PageName& page : sound.names)
    if (store->has(page) || std::filesystem::exists(store->path_of(page))) std::abort();
  return 0;
}
