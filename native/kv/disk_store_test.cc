// The document store: what was written comes back bit for bit after a restart, what is damaged never does, and a process that is killed while it
// writes leaves a store that opens.
#include "native/kv/disk_store.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "native/base/crc32c.h"
#include "native/base/test.h"
#include "native/kv/page_store.h"
#include "native/kv/snapshots.h"
#include "native/kv/store_upkeep.h"

#ifndef _WIN32
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#endif

namespace codicil::kv {
namespace {

namespace fs = std::filesystem;

constexpr PageShape kShape{2, 1, 8, Format::f16, 42};

class TemporaryFolder {
 public:
  TemporaryFolder() {
    static int counter = 0;
    path_ = (fs::temp_directory_path() / ("codicil_store_" + std::to_string(reinterpret_cast<std::uintptr_t>(this) ^ ++counter) + "_" +
#ifdef _WIN32
                                          std::to_string(_getpid())
#else
                                          std::to_string(getpid())
#endif
                                              ))
                .string();
    fs::create_directories(path_);
  }
  ~TemporaryFolder() { fs::remove_all(path_); }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

std::vector<Token> tokens_of(std::int64_t count, int seed) {
  std::vector<Token> out;
  for (std::int64_t i = 0; i < count; ++i) out.push_back(static_cast<Token>(i * 7 + seed));
  return out;
}

std::uint16_t value_at(Token token, int plane, int d) { return static_cast<std::uint16_t>(token * 16 + plane * 5 + d); }

// Writes values that depend on token, layer and place, as a forward pass would.
void extend(PageTable& table, std::span<const Token> added) {
  REQUIRE_OK(table.reserve(static_cast<std::int64_t>(added.size())));
  for (std::size_t i = 0; i < added.size(); ++i) {
    const std::int64_t position = table.tokens() + static_cast<std::int64_t>(i);
    Pin pin = table.pin(position / kPageTokens);
    for (int plane = 0; plane < 4; ++plane) {
      auto* row = reinterpret_cast<std::uint16_t*>(pin.writable_data()) + (plane * kPageTokens + position % kPageTokens) * 8;
      for (int d = 0; d < 8; ++d) row[d] = value_at(added[i], plane, d);
    }
  }
  table.commit(added);
}

bool holds(PageTable& table, std::span<const Token> tokens) {
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const Pin pin = table.pin(static_cast<std::int64_t>(i) / kPageTokens);
    for (int plane = 0; plane < 4; ++plane) {
      const auto* row = reinterpret_cast<const std::uint16_t*>(pin.data()) + (plane * kPageTokens + static_cast<std::int64_t>(i) % kPageTokens) * 8;
      for (int d = 0; d < 8; ++d)
        if (row[d] != value_at(tokens[i], plane, d)) return false;
    }
  }
  return true;
}

constexpr SnapshotShape kSnapshots{kShape, 50, 6};
constexpr std::uint64_t kPageFile = kPageHeaderBytes + 4 * kPageTokens * 16;

std::unique_ptr<PageStore> open_store(const std::string& folder, std::uint64_t disk_pages = 1000, std::uint64_t ram_pages = 100) {
  return std::move(PageStore::open(kShape, ram_pages * kShape.page_bytes(), {folder, disk_pages * kPageFile, 50, 6, {}})).value();
}

float state_at(std::span<const Token> tokens, std::size_t i) {
  return static_cast<float>(tokens.size() * 3 + i) + static_cast<float>(tokens.back()) / 7;
}

// A snapshot of everything that the table holds.
void keep_snapshot(SnapshotStore& snapshots, PageTable& table, std::span<const Token> tokens, const std::string& owner) {
  std::vector<float> state, hidden;
  for (std::size_t i = 0; i < 50; ++i) state.push_back(state_at(tokens, i));
  for (std::size_t i = 0; i < 6; ++i) hidden.push_back(-state_at(tokens, i));
  const Pin last = table.pin(table.page_count() - 1);
  snapshots.put(tokens, state, hidden, last.data(), &owner);
}

bool is_right(const Snapshot& snapshot, std::span<const Token> tokens) {
  const auto seen = tokens.first(static_cast<std::size_t>(snapshot.position));
  for (std::size_t i = 0; i < 50; ++i)
    if (snapshot.state(kSnapshots)[i] != state_at(seen, i)) return false;
  for (std::size_t i = 0; i < 6; ++i)
    if (snapshot.hidden(kSnapshots)[i] != -state_at(seen, i)) return false;
  std::vector<std::byte> page(kShape.page_bytes());
  unpack_rows(kShape, snapshot.rows(kSnapshots), snapshot.rest.size(), page.data());
  for (std::size_t i = 0; i < snapshot.rest.size(); ++i)
    for (std::size_t plane = 0; plane < 4; ++plane) {
      // extend() writes row by row; of the last group of keys, which really lies interleaved, a snapshot has less.
      if (plane % 2 == 0 && i >= snapshot.rest.size() / kKeyGroup * kKeyGroup) continue;
      const auto* row = reinterpret_cast<const std::uint16_t*>(page.data()) + (plane * kPageTokens + i) * 8;
      if (row[0] != value_at(snapshot.rest[i], static_cast<int>(plane), 0) || row[7] != value_at(snapshot.rest[i], static_cast<int>(plane), 7))
        return false;
    }
  return true;
}

// Reads the tokens in two steps for every page, with a snapshot at their end and, each time, 100 tokens behind the page.
void fill(const std::string& folder, std::span<const Token> tokens, const std::string& owner = {}, bool with_snapshots = false) {
  const auto store = open_store(folder);
  SnapshotStore snapshots(*store, kSnapshots, 0);
  const auto table = PageTable::create(*store);
  table->set_keeping({std::numeric_limits<std::int64_t>::max(), owner});
  const auto known = static_cast<std::size_t>(table->restore(tokens));
  for (std::size_t at = known; at < tokens.size();) {
    const std::size_t next =
        std::min(tokens.size(), at % kPageTokens < 100 ? at / kPageTokens * kPageTokens + 100 : at / kPageTokens * kPageTokens + 256);
    extend(*table, tokens.subspan(at, next - at));
    at = next;
    if (with_snapshots && at % kPageTokens != 0) keep_snapshot(snapshots, *table, tokens.first(at), owner);
  }
}

// How much of the prefix a fresh process would find; fails when what it finds is wrong.
std::int64_t found(const std::string& folder, std::span<const Token> tokens) {
  const auto store = open_store(folder);
  SnapshotStore snapshots(*store, kSnapshots, 0);
  const auto table = PageTable::create(*store);
  const std::int64_t reused = table->restore(tokens);
  CHECK(holds(*table, tokens.first(static_cast<std::size_t>(reused))));
  const auto snapshot = snapshots.find(tokens, reused, std::min<std::int64_t>(reused + kPageTokens - 1, std::ssize(tokens)), {});
  if (snapshot == nullptr) return reused;
  CHECK(is_right(*snapshot, tokens));
  return snapshot->position;
}

// Records; with `all`, every file but the lock.
std::vector<fs::path> files_in(const std::string& folder, bool all = false) {
  std::vector<fs::path> out;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    const std::string kind = entry.path().extension().string();
    if (entry.is_regular_file() && (kind == ".page" || kind == ".snapshot" || (all && entry.path().filename() != "lock")))
      out.push_back(entry.path());
  }
  std::sort(out.begin(), out.end());
  return out;
}

}  // namespace

CODICIL_TEST(the_checksum_is_the_published_one) {
  const char* digits = "123456789";  // RFC 3720's check value
  CHECK_EQ(crc32c(std::as_bytes(std::span(digits, 9))), 0xe3069283u);
  const std::vector<std::byte> zeros(32);
  CHECK_EQ(crc32c(zeros), 0x8a9136aau);
  CHECK_EQ(crc32c(std::span(zeros).subspan(5), crc32c(std::span(zeros).first(5))), 0x8a9136aau);
}

CODICIL_TEST(pages_come_back_after_a_restart_bit_for_bit) {
  const TemporaryFolder folder;
  const auto tokens = tokens_of(1000, 1);
  fill(folder.path(), tokens);
  CHECK_EQ(files_in(folder.path()).size(), 3u);  // 1000 tokens are three full pages
  CHECK_EQ(found(folder.path(), tokens), 768);
  auto other = tokens;
  other[300] += 1;
  CHECK_EQ(found(folder.path(), other), 256);
  CHECK_EQ(found(folder.path(), tokens_of(1000, 2)), 0);
}

CODICIL_TEST(pages_that_left_the_memory_are_read_from_disk_again) {
  const TemporaryFolder folder;
  const auto first = tokens_of(1024, 1), second = tokens_of(1024, 900);
  const auto store = open_store(folder.path(), 1000, 5);
  for (int round = 0; round < 3; ++round) {
    for (const auto& tokens : {first, second}) {
      const auto table = PageTable::create(*store);
      const std::int64_t reused = table->restore(tokens);
      CHECK_EQ(reused, round == 0 ? 0 : 1024);
      CHECK(holds(*table, std::span(tokens).first(static_cast<std::size_t>(reused))));
      extend(*table, std::span(tokens).subspan(static_cast<std::size_t>(reused)));
      store->flush();
    }
  }
  CHECK(store->stats().disk_read_bytes > 0);
  CHECK_EQ(store->stats().pages_by_tier[2], 8u);
}

CODICIL_TEST(a_byte_changed_anywhere_is_seen_and_the_page_is_dropped) {
  const TemporaryFolder folder;
  const auto tokens = tokens_of(512, 3);
  for (const std::size_t at : {0u, 9u, 13u, 20u, 30u, 41u, 60u, 75u, 82u, 90u, 600u, 1110u, 4096u, 5000u, 4096u + 8191u}) {
    fill(folder.path(), tokens);
    const auto files = files_in(folder.path());
    REQUIRE(files.size() == 2);
    std::int64_t least = 512;
    for (const fs::path& path : files) {
      std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
      file.seekg(static_cast<std::streamoff>(at));
      const char byte = static_cast<char>(file.get() ^ 0x10);
      file.seekp(static_cast<std::streamoff>(at));
      file.put(byte);
      file.close();
      least = std::min(least, found(folder.path(), tokens));
    }
    CHECK_EQ(least, 0);
    // The second page's data are not even read when the first is gone; its header is, when the store opens.
    CHECK(files_in(folder.path()).size() <= (at < kPageHeaderBytes ? 0u : 1u));
    fs::remove_all(folder.path());
  }
}

CODICIL_TEST(a_file_that_is_cut_or_foreign_is_dropped) {
  const TemporaryFolder folder;
  const auto tokens = tokens_of(256, 5);
  for (const std::uintmax_t size : {0u, 1u, 4095u, 4096u, 8000u}) {
    fill(folder.path(), tokens);
    REQUIRE(files_in(folder.path()).size() == 1);
    fs::resize_file(files_in(folder.path()).front(), size);
    CHECK_EQ(found(folder.path(), tokens), 0);
  }
  fill(folder.path(), tokens);
  const fs::path page = files_in(folder.path()).front();
  fs::copy_file(page, page.parent_path() / (std::string(32, 'a') + ".page"));  // a name that is not its own
  std::ofstream(page.parent_path() / "half.page.writing") << "left by a crash";
  CHECK_EQ(found(folder.path(), tokens), 256);
  CHECK_EQ(files_in(folder.path()).size(), 1u);
}

CODICIL_TEST(the_budget_holds_and_a_prefix_is_never_without_its_beginning) {
  const TemporaryFolder folder;
  {
    const auto store = open_store(folder.path(), 6);
    for (int seed = 0; seed < 5; ++seed) {
      const auto table = PageTable::create(*store);
      extend(*table, tokens_of(1024, seed * 10'000));
      store->flush();
      CHECK(store->stats().pages_by_tier[2] <= 6);
    }
  }
  CHECK_EQ(files_in(folder.path()).size(), 6u);
  CHECK_EQ(found(folder.path(), tokens_of(1024, 40'000)), 1024);
  CHECK_EQ(found(folder.path(), tokens_of(1024, 30'000)), 512);
}

CODICIL_TEST(what_is_forgotten_is_gone_with_all_that_continued_it) {
  const TemporaryFolder folder;
  const auto document = tokens_of(600, 1), other = tokens_of(600, 7);
  auto answer = document;
  const auto more = tokens_of(400, 3);
  answer.insert(answer.end(), more.begin(), more.end());
  {
    const auto store = open_store(folder.path());
    for (const auto& tokens : {document, answer, other}) {
      const auto table = PageTable::create(*store);
      table->set_keeping({std::numeric_limits<std::int64_t>::max(), tokens == document ? "lease" : ""});
      (void)table->restore(tokens);
      extend(*table, std::span(tokens).subspan(static_cast<std::size_t>(table->tokens())));
      store->flush();
    }
    CHECK_EQ(store->forget_owner("lease").value().files, 3u);
    const auto table = PageTable::create(*store);
    CHECK_EQ(table->restore(answer), 0);
  }
  CHECK_EQ(files_in(folder.path()).size(), 2u);
  CHECK_EQ(found(folder.path(), other), 512);
}

CODICIL_TEST(a_snapshot_comes_back_after_a_restart_bit_for_bit) {
  const TemporaryFolder folder;
  const auto tokens = tokens_of(900, 4);
  fill(folder.path(), tokens, {}, true);
  CHECK_EQ(files_in(folder.path()).size(), 3u + 5u);  // snapshots at 100, 356, 612, 868 and 900
  CHECK_EQ(found(folder.path(), tokens), 900);
  CHECK_EQ(found(folder.path(), std::span(tokens).first(899)), 868);
  CHECK_EQ(found(folder.path(), std::span(tokens).first(700)), 612);
  auto other = tokens;
  other[890] += 1;
  CHECK_EQ(found(folder.path(), other), 868);
  other[800] += 1;
  CHECK_EQ(found(folder.path(), other), 768);
}

CODICIL_TEST(a_byte_changed_anywhere_in_a_snapshot_is_seen_and_it_is_dropped) {
  const TemporaryFolder folder;
  const auto tokens = tokens_of(300, 3);  // one page, and snapshots at 100 and 300
  std::size_t size = 1 << 20;
  fill(folder.path(), tokens, {}, true);
  for (const fs::path& path : files_in(folder.path()))
    if (path.extension() == ".snapshot") size = std::min<std::size_t>(size, fs::file_size(path));
  for (std::size_t at = 0; at < size; at += at < 120 ? 3 : 97) {
    fs::remove_all(folder.path());
    fill(folder.path(), tokens, {}, true);
    for (const fs::path& path : files_in(folder.path())) {
      if (path.extension() != ".snapshot") continue;
      std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
      file.seekg(static_cast<std::streamoff>(at));
      const char byte = static_cast<char>(file.get() ^ 0x10);
      file.seekp(static_cast<std::streamoff>(at));
      file.put(byte);
    }
    CHECK_EQ(found(folder.path(), tokens), 256);
    CHECK(files_in(folder.path()).size() <= 2u);  // the one at 300 is gone; that at 100 was not read, only its header
  }
}

CODICIL_TEST(what_only_one_document_has_goes_with_it_and_what_two_have_stays) {
  const TemporaryFolder folder;
  auto lease = tokens_of(1000, 1);
  auto version = lease;
  for (std::size_t i = 600; i < version.size(); ++i) version[i] += 5;  // two pages in common
  const auto other = tokens_of(500, 900);
  fill(folder.path(), other, "other", true);
  const auto before = files_in(folder.path(), true);
  fill(folder.path(), lease, "lease", true);
  fill(folder.path(), version, "version", true);
  const auto with_version = files_in(folder.path(), true);
  {
    const auto store = open_store(folder.path());
    const Forgotten gone = store->forget_owner("lease").value();
    CHECK_EQ(gone.files, 1u + 5u);  // its third page, and its snapshots: the version asked for none of those in the common part
    CHECK_EQ(store->forget_owner("lease").value().files, 0u);
    CHECK_EQ(store->forget_owner("nobody").value().files, 0u);
  }
  CHECK_EQ(files_in(folder.path(), true).size(), with_version.size() - 6 - 1);  // and its ledger
  CHECK_EQ(found(folder.path(), lease), 512);
  CHECK_EQ(found(folder.path(), version), 1000);
  const Stored stored = list_stored(folder.path()).value();
  CHECK_EQ(stored.owners.size(), 2u);
  CHECK_EQ(stored.files, files_in(folder.path()).size());
  // The last owner goes without the model being open: nothing of either text is left.
  CHECK_EQ(forget_stored(folder.path(), "version").value().files, stored.files - (before.size() - 1));
  CHECK(files_in(folder.path(), true) == before);
  CHECK_EQ(found(folder.path(), other), 500);
  CHECK_EQ(clear_stored(folder.path()).value().files, before.size() - 1);
  CHECK(files_in(folder.path(), true).empty());
}

CODICIL_TEST(pages_behind_the_last_kept_position_stay_in_memory) {
  const TemporaryFolder folder;
  const auto tokens = tokens_of(1000, 1);
  {
    const auto store = open_store(folder.path());
    const auto table = PageTable::create(*store);
    table->set_keeping({600, "lease"});
    extend(*table, tokens);
    store->flush();
    CHECK_EQ(files_in(folder.path()).size(), 2u);
    const auto second = PageTable::create(*store);
    second->set_keeping({600, "lease"});
    CHECK_EQ(second->restore(tokens), 768);
    second->set_keeping({1000, "lease"});
    CHECK_EQ(second->restore(tokens), 768);
    CHECK_EQ(store->known(tokens, false), 768);
    CHECK_EQ(store->known(tokens, true), 0);
  }
  CHECK_EQ(files_in(folder.path()).size(), 3u);
}

CODICIL_TEST(a_ledger_that_is_torn_keeps_what_stands_before_the_tear) {
  const TemporaryFolder folder;
  const auto tokens = tokens_of(1024, 1);
  fill(folder.path(), tokens, "lease");
  fs::path ledger;
  for (const fs::path& path : files_in(folder.path(), true))
    if (path.extension() == ".owner") ledger = path;
  REQUIRE(fs::file_size(ledger) == 8 + 4 * 20);
  fs::resize_file(ledger, 8 + 2 * 20 + 7);
  CHECK_EQ(list_stored(folder.path()).value().owners.front().files, 2u);
  CHECK_EQ(fs::file_size(ledger), 8u + 2 * 20 + 7);  // who only looks writes nothing
  const auto store = open_store(folder.path());
  CHECK_EQ(fs::file_size(ledger), 8u + 2 * 20);
  // The pages behind continue one that goes.
  CHECK_EQ(store->forget_owner("lease").value().files, 4u);
  CHECK(files_in(folder.path(), true).empty());
}

// A folder that is not empty stands in for what the system does not let this user delete: it says no to everyone.
CODICIL_TEST(what_could_not_be_deleted_is_named_and_never_counted_as_gone) {
  for (const bool is_open : {true, false}) {
    const TemporaryFolder folder;
    fill(folder.path(), tokens_of(1000, 1), "lease", true);
    const std::size_t files = files_in(folder.path()).size();
    auto store = is_open ? open_store(folder.path()) : nullptr;
    const auto forget = [&] { return is_open ? store->forget_owner("lease") : forget_stored(folder.path(), "lease"); };
    fs::path page;
    for (const fs::path& path : files_in(folder.path()))
      if (path.extension() == ".page") page = path;
    const auto refuse = [&] {
      fs::remove(page);
      fs::create_directory(page);
      std::ofstream(page / "inside") << "x";
    };
    if (is_open) {
      refuse();
      const auto failed = forget();
      CHECK_STATUS(failed, Code::io_failed, page.string());
      CHECK(failed.status().message().find(std::to_string(files - 1) + " files of ") != std::string::npos);
      CHECK_EQ(files_in(folder.path()).size(), 0u);
      CHECK_EQ(files_in(folder.path(), true).size(), 2u);  // the file inside, and the ledger that says whose it is
      CHECK_EQ(store->stats().pages_by_tier[2], 1u);
      CHECK_STATUS(forget(), Code::io_failed, page.string());
      fs::remove(page / "inside");
      CHECK_OK(forget());
    } else {
      // The ledger this time: it is the last to go, and the owner stays known while it is there.
      fs::path ledger;
      for (const fs::path& path : files_in(folder.path(), true))
        if (path.extension() == ".owner") ledger = path;
      const fs::path rest = ledger.string() + ".writing";
      fs::create_directory(rest);
      std::ofstream(rest / "inside") << "x";
      std::ofstream(page.string() + ".writing") << "left by a process that ended";
      CHECK_STATUS(forget(), Code::io_failed, rest.string());
      CHECK_EQ(list_stored(folder.path()).value().owners.size(), 1u);
      fs::remove(rest / "inside");
      CHECK_OK(forget());
    }
    CHECK(files_in(folder.path(), true).empty());
  }
}

CODICIL_TEST(a_file_that_can_not_be_removed_is_not_room_and_holds_up_nobody) {
  const TemporaryFolder folder;
  fill(folder.path(), tokens_of(512, 1));
  const auto store = open_store(folder.path(), 4);
  std::vector<fs::path> stuck = files_in(folder.path());
  for (const fs::path& page : stuck) {
    fs::remove(page);
    fs::create_directory(page);
    std::ofstream(page / "inside") << "x";
  }
  for (int seed = 1; seed < 4; ++seed) {
    const auto table = PageTable::create(*store);
    extend(*table, tokens_of(512, seed * 30'000));
    store->flush();
    CHECK(store->stats().pages_by_tier[2] <= 4u);
  }
  CHECK_EQ(store->stats().pages_by_tier[2], 2u + files_in(folder.path()).size());
  for (const fs::path& page : stuck) fs::remove(page / "inside");
  for (int seed = 1; seed < 4; ++seed) {
    const auto table = PageTable::create(*store);
    extend(*table, tokens_of(512, seed * 50'000));
    store->flush();
  }
  CHECK_EQ(store->stats().pages_by_tier[2], 4u);
  CHECK(!fs::exists(stuck[0]) && !fs::exists(stuck[1]));
}

CODICIL_TEST(a_page_stays_while_one_holds_it_even_if_it_was_damaged_and_written_anew) {
  const TemporaryFolder folder;
  const auto store = DiskStore::open(folder.path(), kSnapshots, 2 * kPageFile).value();
  const std::vector<std::byte> data(kShape.page_bytes());
  const auto write = [&](int seed) {
    const auto written = tokens_of(kPageTokens, seed);
    store->write(next_name({}, written), {}, written, data.data(), {}, [] {});
    store->flush();
  };
  const auto tokens = tokens_of(kPageTokens, 1);
  const PageName name = next_name({}, tokens);
  PageHeader header;
  write(1);
  REQUIRE(store->hold(name, tokens, header) && store->hold(name, tokens, header));
  fs::resize_file(store->path_of(name), 5000);
  store->drop_damaged(name);
  CHECK(!store->has(name));
  write(1);
  store->release(name);
  for (int other = 2; other < 6; ++other) write(1000 * other);
  CHECK(store->has(name));
  store->release(name);
  for (int other = 6; other < 9; ++other) write(1000 * other);
  CHECK(!store->has(name));
}

CODICIL_TEST(a_second_look_keeps_a_page_that_is_sound) {
  const TemporaryFolder folder;
  fill(folder.path(), tokens_of(256, 1));
  const auto store = DiskStore::open(folder.path(), kSnapshots, 10 * kPageFile).value();
  PageName name;
  REQUIRE(read_hex_name(files_in(folder.path()).front().stem().string(), name));
  store->drop_damaged(name);
  CHECK(store->has(name));
  CHECK_EQ(store->stats().damaged, 0u);
}

CODICIL_TEST(the_budget_takes_a_snapshot_before_the_page_it_needs) {
  const TemporaryFolder folder;
  fill(folder.path(), tokens_of(612, 1), {}, true);  // two pages, three snapshots
  const auto store = open_store(folder.path(), 4);
  const auto table = PageTable::create(*store);
  extend(*table, tokens_of(512, 30'000));
  store->flush();
  const StoreStats stats = store->stats();
  CHECK(stats.bytes_by_tier[2] + stats.disk_snapshot_bytes <= 4 * kPageFile);
  CHECK_EQ(stats.pages_by_tier[2] + stats.disk_snapshots, files_in(folder.path()).size());
  CHECK(stats.disk_evictions > 0);
  CHECK(stats.pages_by_tier[2] >= 3);
}

#ifndef _WIN32
CODICIL_TEST(two_stores_of_one_folder_are_one_writer_and_one_reader) {
  const TemporaryFolder folder;
  const auto tokens = tokens_of(512, 1), others = tokens_of(512, 7000);
  const auto writer = open_store(folder.path());
  const auto table = PageTable::create(*writer);
  extend(*table, tokens);
  writer->flush();
  const auto reader = open_store(folder.path());
  CHECK(reader->stats().disk_shared && !writer->stats().disk_shared);
  const auto copy = PageTable::create(*reader);
  CHECK_EQ(copy->restore(tokens), 512);
  CHECK(holds(*copy, tokens));
  const auto own = PageTable::create(*reader);
  extend(*own, others);
  reader->flush();
  CHECK_EQ(files_in(folder.path()).size(), 2u);
}

CODICIL_TEST(who_only_reads_deletes_nothing) {
  const TemporaryFolder folder;
  const auto tokens = tokens_of(512, 1);
  const auto writer = open_store(folder.path());
  {
    const auto table = PageTable::create(*writer);
    table->set_keeping({std::numeric_limits<std::int64_t>::max(), "lease"});
    extend(*table, tokens);
    writer->flush();
  }
  const auto files = files_in(folder.path(), true);
  const fs::path ledger = *std::find_if(files.begin(), files.end(), [](const fs::path& path) { return path.extension() == ".owner"; });
  fs::resize_file(ledger, fs::file_size(ledger) - 3);  // as it looks while the writer is at it
  for (const fs::path& path : files_in(folder.path())) fs::resize_file(path, 5000);
  const auto reader = open_store(folder.path());
  const auto copy = PageTable::create(*reader);
  CHECK_EQ(copy->restore(tokens), 0);
  CHECK_STATUS(reader->forget_owner("lease"), Code::io_failed, "close it, then delete again");
  CHECK(files_in(folder.path(), true) == files);
  CHECK_EQ(fs::file_size(ledger), 8u + 2 * 20 - 3);
}

CODICIL_TEST(pages_that_can_not_be_opened_now_are_found_again_later) {
  const TemporaryFolder folder;
  const auto tokens = tokens_of(1000, 1);
  fill(folder.path(), tokens, "lease", true);
  const auto files = files_in(folder.path(), true);
  {
    const auto store = open_store(folder.path());
    SnapshotStore snapshots(*store, kSnapshots, 0);
    rlimit before{};
    REQUIRE(getrlimit(RLIMIT_NOFILE, &before) == 0);
    const rlimit none{3, before.rlim_max};
    REQUIRE(setrlimit(RLIMIT_NOFILE, &none) == 0);
    const auto table = PageTable::create(*store);
    const std::int64_t reused = table->restore(tokens);
    const auto snapshot = snapshots.find(tokens, 768, 1000, {});
    REQUIRE(setrlimit(RLIMIT_NOFILE, &before) == 0);
    CHECK_EQ(reused, 0);
    CHECK(snapshot == nullptr);
    CHECK_EQ(store->stats().disk_damaged_pages, 0u);
    CHECK(files_in(folder.path(), true) == files);
    CHECK_EQ(table->restore(tokens), 768);
  }
  CHECK_EQ(found(folder.path(), tokens), 1000);
}

// 300 processes are killed at any instant of their writing; after each the store must open and give nothing but what is right.
CODICIL_TEST(a_process_killed_while_it_writes_leaves_a_store_that_opens) {
  const TemporaryFolder folder;
  const auto work = [&](int round) {
    const auto tokens = tokens_of(256 * 12 + 50, round % 3 * 5000);
    fill(folder.path(), tokens, "document" + std::to_string(round % 3), true);
  };
  // Sanitizers slow everything down: what a whole run takes is measured, and the instants are spread over it.
  const auto start = std::chrono::steady_clock::now();
  work(0);
  const auto whole = std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::steady_clock::now() - start).count();
  fs::remove_all(folder.path());
  std::uint32_t random = 12345;
  std::int64_t most = 0;
  for (int round = 0; round < 300; ++round) {
    const pid_t child = fork();
    if (child == 0) {
      work(round);
      _exit(0);
    }
    random = random * 1664525u + 1013904223u;
    usleep(static_cast<useconds_t>(static_cast<std::uint64_t>(whole) * (random >> 16) * 5 / 4 >> 16));
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    most = std::max(most, found(folder.path(), tokens_of(256 * 12 + 50, round % 3 * 5000)));
    if (round % 10 != 9) continue;
    // Whatever is there has an owner: when all three are gone, nothing is left.
    for (const char* owner : {"document0", "document1", "document2"}) (void)forget_stored(folder.path(), owner).value();
    CHECK(files_in(folder.path()).empty());
    fs::remove_all(folder.path());
  }
  CHECK(most > 0);  // some were killed in the middle
}
#endif

}  // namespace codicil::kv
