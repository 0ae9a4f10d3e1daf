// The document store: what was written comes back bit for bit after a restart, what is damaged never does, and a process that is killed while it
// writes leaves a store that opens.
#include "native/kv/disk_store.h"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "native/base/crc32c.h"
#include "native/base/test.h"
#include "native/kv/page_store.h"

#ifndef _WIN32
#include <signal.h>
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

std::unique_ptr<PageStore> open_store(const std::string& folder, std::uint64_t disk_pages = 1000, std::uint64_t ram_pages = 100) {
  const std::uint64_t file = kPageHeaderBytes + kShape.page_bytes();
  return std::move(PageStore::open(kShape, ram_pages * kShape.page_bytes(), {folder, disk_pages * file})).value();
}

void fill(const std::string& folder, std::span<const Token> tokens) {
  const auto store = open_store(folder);
  const auto table = PageTable::create(*store);
  extend(*table, tokens);
}

// How much of the prefix a fresh process would find; fails when what it finds is wrong.
std::int64_t found(const std::string& folder, std::span<const Token> tokens) {
  const auto store = open_store(folder);
  const auto table = PageTable::create(*store);
  const std::int64_t reused = table->restore(tokens);
  CHECK(holds(*table, tokens.first(static_cast<std::size_t>(reused))));
  return reused;
}

std::vector<fs::path> files_in(const std::string& folder) {
  std::vector<fs::path> out;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    if (entry.is_regular_file()) out.push_back(entry.path());
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
    for (const auto& tokens : {answer, other}) {
      const auto table = PageTable::create(*store);
      extend(*table, tokens);
    }
    CHECK_EQ(store->forget(document), 3u);
    const auto table = PageTable::create(*store);
    CHECK_EQ(table->restore(answer), 0);
  }
  CHECK_EQ(files_in(folder.path()).size(), 2u);
  CHECK_EQ(found(folder.path(), other), 512);
}

#ifndef _WIN32
// 300 processes are killed at any instant of their writing; after each the store must open and give nothing but what is right.
CODICIL_TEST(a_process_killed_while_it_writes_leaves_a_store_that_opens) {
  const TemporaryFolder folder;
  std::uint32_t random = 12345;
  std::int64_t most = 0;
  for (int round = 0; round < 300; ++round) {
    const auto tokens = tokens_of(256 * 12, round % 3 * 5000);
    const pid_t child = fork();
    if (child == 0) {
      fill(folder.path(), tokens);
      _exit(0);
    }
    random = random * 1664525u + 1013904223u;
    usleep(random >> 20);  // up to 4 ms: from before the store is open to after the last page
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    most = std::max(most, found(folder.path(), tokens));
    if (round % 10 == 9) fs::remove_all(folder.path());
  }
  CHECK(most > 0);  // some were killed in the middle
}
#endif

}  // namespace codicil::kv
