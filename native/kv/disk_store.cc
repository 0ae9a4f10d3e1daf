// DiskStore. See disk_store.h for the rules.
//
// A file is written under a temporary name and renamed: it is whole or not there. It is not forced to the disk: after a power cut a page may be missing
// or torn, its checksum says so, and it is computed again.
#include "native/kv/disk_store.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <vector>

#include "native/base/file.h"
#include "native/base/log.h"
#include "native/kv/page_store.h"

#ifndef _WIN32
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>
#endif

namespace codicil::kv {

namespace fs = std::filesystem;

namespace {

using Clock = std::chrono::steady_clock;

// Left on the disk for everyone else, whatever the budget says.
constexpr std::uint64_t kSpareBytes = std::uint64_t{1} << 30;
constexpr std::uint64_t kSpareInodes = 10'000;
// Pages that may wait for the disk: each keeps its place in RAM until it is written.
constexpr std::size_t kQueuePages = 64;
constexpr const char* kTemporary = ".writing";

std::string hex16(std::uint64_t value) {
  char text[17];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(value));
  return text;
}

#ifdef _WIN32
bool read_whole(const std::string& path, std::span<std::byte> header, std::span<std::byte> data) {
  std::ifstream file(path, std::ios::binary);
  file.read(reinterpret_cast<char*>(header.data()), static_cast<std::streamsize>(header.size()));
  file.read(reinterpret_cast<char*>(data.data()), static_cast<std::streamsize>(data.size()));
  return static_cast<bool>(file);
}
bool write_whole(const std::string& path, std::span<const std::byte> header, std::span<const std::byte> data) {
  std::ofstream file(path, std::ios::binary);
  file.write(reinterpret_cast<const char*>(header.data()), static_cast<std::streamsize>(header.size()));
  file.write(reinterpret_cast<const char*>(data.data()), static_cast<std::streamsize>(data.size()));
  file.close();
  return static_cast<bool>(file);
}
#else
// Past the system's cache where address, length and file system allow it: gigabytes of pages would only push other programs out of memory.
bool is_direct(const void* data, std::size_t bytes) {
  return reinterpret_cast<std::uintptr_t>(data) % kPageHeaderBytes == 0 && bytes % kPageHeaderBytes == 0;
}

int open_file(const std::string& path, int flags, bool direct) {
#ifdef O_DIRECT
  if (direct) {
    const int file = ::open(path.c_str(), flags | O_DIRECT | O_CLOEXEC, 0600);
    if (file >= 0) return file;
  }
#else
  (void)direct;
#endif
  return ::open(path.c_str(), flags | O_CLOEXEC, 0600);
}

template <typename Move>
bool move_all(std::byte* data, std::size_t bytes, std::uint64_t offset, Move move) {
  while (bytes > 0) {
    const ssize_t moved = move(data, bytes, static_cast<off_t>(offset));
    if (moved < 0 && errno == EINTR) continue;
    if (moved <= 0) return false;
    data += moved;
    bytes -= static_cast<std::size_t>(moved);
    offset += static_cast<std::uint64_t>(moved);
  }
  return true;
}

bool read_whole(const std::string& path, std::span<std::byte> header, std::span<std::byte> data) {
  const int file = open_file(path, O_RDONLY, is_direct(data.data(), data.size()));
  if (file < 0) return false;
  const auto move = [&](std::byte* to, std::size_t n, off_t at) { return ::pread(file, to, n, at); };
  const bool ok = move_all(header.data(), header.size(), 0, move) && move_all(data.data(), data.size(), header.size(), move);
  ::close(file);
  return ok;
}

bool write_whole(const std::string& path, std::span<const std::byte> header, std::span<const std::byte> data) {
  const int file = open_file(path, O_WRONLY | O_CREAT | O_TRUNC, is_direct(data.data(), data.size()));
  if (file < 0) return false;
  const auto move = [&](std::byte* from, std::size_t n, off_t at) { return ::pwrite(file, from, n, at); };
  const bool ok = move_all(const_cast<std::byte*>(header.data()), header.size(), 0, move) &&
                  move_all(const_cast<std::byte*>(data.data()), data.size(), header.size(), move);
  return ::close(file) == 0 && ok;
}
#endif

// A block of its own for the header, aligned for direct reading.
struct alignas(kPageHeaderBytes) HeaderBlock {
  std::array<std::byte, kPageHeaderBytes> bytes;
};

}  // namespace

DiskStore::DiskStore(std::string folder, const PageShape& shape, std::uint64_t budget_bytes)
    : folder_(std::move(folder)), shape_(shape), budget_bytes_(budget_bytes) {
  counters_.budget_bytes = budget_bytes;
}

Result<std::unique_ptr<DiskStore>> DiskStore::open(const std::string& folder, const PageShape& shape, std::uint64_t budget_bytes) {
  std::unique_ptr<DiskStore> store(new DiskStore(folder + "/" + hex16(shape.model_fingerprint), shape, budget_bytes));
  if (Status status = store->scan(); !status.ok()) return status;
  store->writer_ = std::thread([raw = store.get()] { raw->work(); });
  return store;
}

DiskStore::~DiskStore() {
  {
    const std::scoped_lock lock(mutex_);
    stopping_ = true;
    wake_.notify_all();
  }
  if (writer_.joinable()) writer_.join();
}

std::string DiskStore::path_of(const PageName& name) const {
  const std::string hex = hex_name(name);
  return folder_ + "/" + hex.substr(0, 2) + "/" + hex + ".page";
}

// --- what is there -----------------------------------------------------------------------------------------------------------------

Status DiskStore::scan() {
  std::error_code error;
  fs::create_directories(folder_, error);
  if (error)
    return Status(Code::io_failed, "expected a folder for stored pages at " + folder_ + ", found that the system refused (" + error.message() +
                                       "): choose another data folder or free its disk");
  struct Found {
    fs::file_time_type time;
    std::string path;
  };
  std::vector<Found> found;
  for (fs::recursive_directory_iterator it(folder_, error), end; !error && it != end; it.increment(error)) {
    if (!it->is_regular_file(error)) continue;
    const fs::path& path = it->path();
    if (path.extension() == ".page")
      found.push_back({it->last_write_time(error), path.string()});
    else if (path.extension() == kTemporary)
      fs::remove(path, error);
  }
  // Oldest use first: a read renews the time of its file.
  std::sort(found.begin(), found.end(), [](const Found& a, const Found& b) { return a.time != b.time ? a.time < b.time : a.path < b.path; });
  for (const Found& file : found) adopt(file.path);
  return {};
}

void DiskStore::adopt(const std::string& path) {
  std::error_code error;
  HeaderBlock block;
  std::ifstream file(path, std::ios::binary);
  file.read(reinterpret_cast<char*>(block.bytes.data()), kPageHeaderBytes);
  const bool whole = static_cast<bool>(file) && fs::file_size(path, error) == file_bytes();
  file.close();
  const Result<PageHeader> header = read_page_header(shape_, block.bytes);
  if (whole && header.ok() && path == path_of(header.value().name)) {
    insert(header.value().name, header.value().previous);
    return;
  }
  counters_.damaged += 1;
  fs::remove(path, error);
}

void DiskStore::insert(const PageName& name, const PageName& previous) {
  const auto [entry, added] = entries_.try_emplace(name);
  if (!added) return;
  entry->second.previous = previous;
  entry->second.place = order_.insert(order_.end(), name);
  continuations_.emplace(previous, name);
}

void DiskStore::erase(Entries::iterator entry) {
  std::error_code error;
  fs::remove(path_of(entry->first), error);
  const auto [begin, end] = continuations_.equal_range(entry->second.previous);
  const auto link = std::find_if(begin, end, [&](const auto& other) { return other.second == entry->first; });
  if (link != end) continuations_.erase(link);
  order_.erase(entry->second.place);
  entries_.erase(entry);
}

// --- writing -----------------------------------------------------------------------------------------------------------------------

void DiskStore::write(const PageName& name, const PageName& previous, std::span<const Token> tokens, const std::byte* data,
                      std::function<void()> done) {
  {
    const std::scoped_lock lock(mutex_);
    if (!stopping_ && !entries_.contains(name) && !queued_.contains(name) && queue_.size() < kQueuePages) {
      Order order;
      order.header.name = name;
      order.header.previous = previous;
      std::copy(tokens.begin(), tokens.end(), order.header.tokens.begin());
      order.data = data;
      order.done = std::move(done);
      queued_.insert(name);
      queue_.push_back(std::move(order));
      wake_.notify_one();
      return;
    }
  }
  done();
}

void DiskStore::work() {
  std::unique_lock lock(mutex_);
  for (;;) {
    wake_.wait(lock, [&] { return stopping_ || !queue_.empty(); });
    if (queue_.empty()) return;
    Order order = std::move(queue_.front());
    queue_.pop_front();
    busy_ = true;
    const bool room = make_room();
    lock.unlock();
    if (room) write_file(order);
    order.done();
    lock.lock();
    queued_.erase(order.header.name);
    busy_ = false;
    if (queue_.empty()) idle_.notify_all();
  }
}

void DiskStore::write_file(Order& order) {
  const std::span<const std::byte> data(order.data, shape_.page_bytes());
  describe_page_data(shape_, data, order.header);
  HeaderBlock block;
  write_page_header(shape_, order.header, block.bytes);
  const std::string path = path_of(order.header.name), temporary = path + kTemporary;
  std::error_code error;
  fs::create_directories(fs::path(path).parent_path(), error);
  if (!error && write_whole(temporary, block.bytes, data))
    fs::rename(temporary, path, error);
  else if (!error)
    error = std::make_error_code(std::errc::io_error);
  const std::scoped_lock lock(mutex_);
  if (error) {
    fs::remove(temporary, error);
    log(LogLevel::warning, "page_not_kept", {{"folder", folder_}});
    return;
  }
  insert(order.header.name, order.header.previous);
  counters_.written_bytes += file_bytes();
}

bool DiskStore::has_space() const {
#ifdef _WIN32
  std::error_code error;
  const fs::space_info space = fs::space(folder_, error);
  return !error && space.available > kSpareBytes + file_bytes();
#else
  struct statvfs info{};
  if (statvfs(folder_.c_str(), &info) != 0) return false;
  const bool inodes = info.f_files == 0 || info.f_favail > kSpareInodes;  // some file systems count none
  return inodes && static_cast<std::uint64_t>(info.f_bavail) * info.f_frsize > kSpareBytes + file_bytes();
#endif
}

// Room for one file more: inside the budget, and on the disk. The page that was unused longest goes first, but never before its continuation.
bool DiskStore::make_room() {
  if (file_bytes() > budget_bytes_) return false;
  while ((entries_.size() + 1) * file_bytes() > budget_bytes_) {
    const auto leaf = std::find_if(order_.begin(), order_.end(),
                                   [&](const PageName& name) { return !continuations_.contains(name) && entries_.at(name).holds == 0; });
    if (leaf == order_.end()) return false;
    erase(entries_.find(*leaf));
    counters_.evictions += 1;
  }
  counters_.full = !has_space();
  return !counters_.full;
}

void DiskStore::flush() {
  std::unique_lock lock(mutex_);
  idle_.wait(lock, [&] { return queue_.empty() && !busy_; });
}

// --- reading -----------------------------------------------------------------------------------------------------------------------

bool DiskStore::has(const PageName& name) const {
  const std::scoped_lock lock(mutex_);
  return entries_.contains(name);
}

bool DiskStore::read(const PageName& name, std::span<const Token> tokens, std::byte* data) {
  {
    const std::scoped_lock lock(mutex_);
    const auto entry = entries_.find(name);
    if (entry == entries_.end()) return false;
    order_.splice(order_.end(), order_, entry->second.place);
  }
  const Clock::time_point start = Clock::now();
  const std::string path = path_of(name);
  HeaderBlock block;
  const std::span<std::byte> page(data, shape_.page_bytes());
  bool sound = read_whole(path, block.bytes, page);
  if (sound) {
    const Result<PageHeader> header = read_page_header(shape_, block.bytes);
    sound = header.ok() && header.value().name == name && check_page_data(shape_, header.value(), page).ok();
    // Sound, but of other tokens: a name that two prefixes share. The file stays, for the other one.
    if (sound && !std::equal(tokens.begin(), tokens.end(), header.value().tokens.begin())) return false;
  }
  std::error_code error;
  if (sound) fs::last_write_time(path, fs::file_time_type::clock::now(), error);
  const std::scoped_lock lock(mutex_);
  if (!sound) {
    counters_.damaged += 1;
    if (const auto entry = entries_.find(name); entry != entries_.end()) erase(entry);
    log(LogLevel::warning, "page_damaged", {{"page", hex_name(name)}});
    return false;
  }
  counters_.read_bytes += file_bytes();
  counters_.read_seconds += std::chrono::duration<double>(Clock::now() - start).count();
  return true;
}

bool DiskStore::hold(const PageName& name, std::span<const Token> tokens, PageHeader& header) {
  {
    const std::scoped_lock lock(mutex_);
    const auto entry = entries_.find(name);
    if (entry == entries_.end()) return false;
    entry->second.holds += 1;
    order_.splice(order_.end(), order_, entry->second.place);
  }
  // Through the system's cache: scan() read the same blocks when the store was opened.
  HeaderBlock block;
  std::ifstream file(path_of(name), std::ios::binary);
  file.read(reinterpret_cast<char*>(block.bytes.data()), kPageHeaderBytes);
  Result<PageHeader> found = read_page_header(shape_, file ? std::span<const std::byte>(block.bytes) : std::span<const std::byte>());
  if (!found.ok() || found.value().name != name) {
    drop_damaged(name);
    return false;
  }
  header = std::move(found).value();
  if (std::equal(tokens.begin(), tokens.end(), header.tokens.begin())) return true;
  release(name);
  return false;
}

void DiskStore::release(const PageName& name) {
  const std::scoped_lock lock(mutex_);
  if (const auto entry = entries_.find(name); entry != entries_.end()) entry->second.holds -= 1;
}

void DiskStore::drop_damaged(const PageName& name) {
  const std::scoped_lock lock(mutex_);
  const auto entry = entries_.find(name);
  if (entry == entries_.end()) return;
  counters_.damaged += 1;
  erase(entry);
  log(LogLevel::warning, "page_damaged", {{"page", hex_name(name)}});
}

std::uint64_t DiskStore::forget(const PageName& name) {
  flush();
  const std::scoped_lock lock(mutex_);
  std::vector<PageName> gone = {name};
  for (std::size_t i = 0; i < gone.size(); ++i) {
    const auto [begin, end] = continuations_.equal_range(gone[i]);
    for (auto it = begin; it != end; ++it) gone.push_back(it->second);
  }
  std::uint64_t removed = 0;
  for (auto it = gone.rbegin(); it != gone.rend(); ++it) {
    const auto entry = entries_.find(*it);
    if (entry == entries_.end()) continue;
    erase(entry);
    removed += 1;
  }
  return removed;
}

DiskStats DiskStore::stats() const {
  const std::scoped_lock lock(mutex_);
  DiskStats out = counters_;
  out.pages = entries_.size();
  out.bytes = out.pages * file_bytes();
  return out;
}

}  // namespace codicil::kv
