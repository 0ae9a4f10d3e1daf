// DiskStore. See disk_store.h for the rules.
//
// A file is written under a temporary name and renamed: it is whole or not there. It is not forced to the disk: after a power cut a record may be
// missing or torn, its checksum says so, and it is computed again.
#include "native/kv/disk_store.h"

#include <algorithm>
#include <cassert>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <utility>
#include <vector>

#include "native/base/file.h"
#include "native/base/log.h"
#include "native/kv/page_store.h"

#ifndef _WIN32
#include <fcntl.h>
#include <sys/file.h>
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
// Records that may wait for the disk: each keeps its place in RAM until it is written.
constexpr std::size_t kQueueRecords = 128;
constexpr const char* kTemporary = ".writing";

std::string hex16(std::uint64_t value) {
  char text[17];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(value));
  return text;
}

// What came of reading a record: all of it, less than it should have, or nothing, because the system would not open it (now: too many files are open,
// or this user may not) or has no such file.
enum class Look { whole, torn, unopened, missing };

#ifdef _WIN32
Look read_whole(const std::string& path, std::span<std::byte> header, std::span<std::byte> data) {
  std::ifstream file(path, std::ios::binary);
  std::error_code error;
  if (!file) return fs::exists(path, error) ? Look::unopened : Look::missing;
  file.read(reinterpret_cast<char*>(header.data()), static_cast<std::streamsize>(header.size()));
  file.read(reinterpret_cast<char*>(data.data()), static_cast<std::streamsize>(data.size()));
  return file ? Look::whole : Look::torn;
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

// A header alone comes through the system's cache: scan() reads those of all files.
Look read_whole(const std::string& path, std::span<std::byte> header, std::span<std::byte> data) {
  const int file = open_file(path, O_RDONLY, !data.empty() && is_direct(data.data(), data.size()));
  if (file < 0) return errno == ENOENT || errno == ENOTDIR ? Look::missing : Look::unopened;
  const auto move = [&](std::byte* to, std::size_t n, off_t at) { return ::pread(file, to, n, at); };
  const bool ok = move_all(header.data(), header.size(), 0, move) && move_all(data.data(), data.size(), header.size(), move);
  ::close(file);
  return ok ? Look::whole : Look::torn;
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

DiskStore::DiskStore(std::string folder, const SnapshotShape& shape, std::uint64_t budget_bytes)
    : folder_(std::move(folder)), shape_(shape), budget_bytes_(budget_bytes), ledger_(folder_ + "/owners") {
  counters_.budget_bytes = budget_bytes;
}

Result<std::unique_ptr<DiskStore>> DiskStore::open(const std::string& folder, const SnapshotShape& shape, std::uint64_t budget_bytes) {
  std::unique_ptr<DiskStore> store(new DiskStore(folder + "/" + hex16(shape.page.model_fingerprint), shape, budget_bytes));
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
#ifndef _WIN32
  if (lock_file_ >= 0) ::close(lock_file_);
#endif
}

std::string DiskStore::path_of(const PageName& name, bool snapshot) const {
  const std::string hex = hex_name(name);
  return folder_ + "/" + hex.substr(0, 2) + "/" + hex + (snapshot ? ".snapshot" : ".page");
}

// --- what is there -----------------------------------------------------------------------------------------------------------------

// False: another process writes here. The system gives the lock back when a process ends, however it ends.
bool DiskStore::lock_folder() {
#ifdef _WIN32
  return true;
#else
  lock_file_ = ::open((folder_ + "/lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  return lock_file_ < 0 || flock(lock_file_, LOCK_EX | LOCK_NB) == 0;  // a file system without locks has one user
#endif
}

Status DiskStore::scan() {
  std::error_code error;
  fs::create_directories(folder_, error);
  if (error)
    return Status(Code::io_failed, "expected a folder for stored pages at " + folder_ + ", found that the system refused (" + error.message() +
                                       "): choose another data folder or free its disk");
  counters_.shared = !lock_folder();
  if (counters_.shared) log(LogLevel::info, "store_shared", {{"folder", folder_}});
  struct Found {
    fs::file_time_type time;
    std::string path;
  };
  std::vector<Found> found;
  for (fs::recursive_directory_iterator it(folder_, error), end; !error && it != end; it.increment(error)) {
    std::error_code gone;
    if (!it->is_regular_file(gone)) continue;
    const fs::path& path = it->path();
    if (path.extension() == ".page" || path.extension() == ".snapshot")
      found.push_back({it->last_write_time(gone), path.string()});
    else if (path.extension() == kTemporary && !counters_.shared)
      fs::remove(path, gone);  // or when its record is deleted
  }
  if (error && error != std::errc::no_such_file_or_directory)
    return Status(Code::io_failed, "expected to list the stored pages in " + folder_ + ", found that the system refused (" + error.message() +
                                       "): let this user read the folder, or choose another data folder");
  // Oldest use first: a read renews the time of its file.
  std::sort(found.begin(), found.end(), [](const Found& a, const Found& b) { return a.time != b.time ? a.time < b.time : a.path < b.path; });
  for (const Found& file : found) adopt(file.path);
  ledger_.read();
  if (!counters_.shared) ledger_.prune([&](const PageName& name) { return entries_.contains(name); });
  return {};
}

void DiskStore::adopt(const std::string& path) {
  std::error_code error;
  HeaderBlock block;
  const Look look = read_whole(path, block.bytes, {});
  const std::uint64_t bytes = fs::file_size(path, error);
  if (look == Look::missing) return;
  if (look == Look::unopened || error) return outside_.push_back(path);
  const bool whole = look == Look::whole;
  if (whole && fs::path(path).extension() == ".page") {
    const Result<PageHeader> header = read_page_header(shape_.page, block.bytes);
    if (header.ok() && bytes == page_file_bytes() && path == path_of(header.value().name, false))
      return insert(header.value().name, {header.value().previous, {}, bytes, -1});
  } else if (whole) {
    const Result<SnapshotHeader> header = read_snapshot_header(shape_, block.bytes);
    if (header.ok() && bytes == kSnapshotHeaderBytes + header.value().payload_bytes && path == path_of(header.value().name, true))
      return insert(header.value().name, {header.value().previous, {}, bytes, static_cast<std::int64_t>(header.value().rest.size())});
  }
  counters_.damaged += 1;
  if (counters_.shared) return;
  fs::remove(path, error);
  if (error) outside_.push_back(path);
}

void DiskStore::insert(const PageName& name, const Entry& entry) {
  const auto [place, added] = entries_.try_emplace(name, entry);
  if (!added) return;
  place->second.place = order_.insert(order_.end(), name);
  const bool snapshot = entry.rest >= 0;
  (snapshot ? snapshots_after_ : pages_after_).emplace(entry.previous, name);
  (snapshot ? counters_.snapshots : counters_.pages) += 1;
  (snapshot ? counters_.snapshot_bytes : counters_.bytes) += entry.bytes;
}

bool DiskStore::evict(Entries::iterator entry) {
  const std::string path = path_of(entry->first, entry->second.rest >= 0);
  std::error_code error;
  fs::remove(path, error);
  if (error) {
    log(LogLevel::warning, "page_not_removed", {{"file", path}, {"reason", error.message()}});
    return false;
  }
  ledger_.drop(entry->first);
  take_out(entry);
  return true;
}

void DiskStore::take_out(Entries::iterator entry) {
  const PageName name = entry->first;
  const bool snapshot = entry->second.rest >= 0;
  Links& links = snapshot ? snapshots_after_ : pages_after_;
  const auto [begin, end] = links.equal_range(entry->second.previous);
  const auto link = std::find_if(begin, end, [&](const auto& other) { return other.second == name; });
  if (link != end) links.erase(link);
  (snapshot ? counters_.snapshots : counters_.pages) -= 1;
  (snapshot ? counters_.snapshot_bytes : counters_.bytes) -= entry->second.bytes;
  order_.erase(entry->second.place);
  entries_.erase(entry);
}

// --- writing -----------------------------------------------------------------------------------------------------------------------

void DiskStore::write(const PageName& name, const PageName& previous, std::span<const Token> tokens, const std::byte* data, const std::string& owner,
                      std::function<void()> done) {
  Order order;
  order.name = order.header.name = name;
  order.owner = owner;
  order.header.previous = previous;
  std::copy(tokens.begin(), tokens.end(), order.header.tokens.begin());
  order.data = data;
  order.done = std::move(done);
  if (!enqueue(order)) order.done();
}

void DiskStore::write(std::shared_ptr<const Snapshot> snapshot, const std::string& owner) {
  Order order;
  order.name = snapshot->name;
  order.owner = owner;
  order.snapshot = std::move(snapshot);
  (void)enqueue(order);
}

bool DiskStore::enqueue(Order& order) {
  const std::scoped_lock lock(mutex_);
  if (stopping_ || counters_.shared || queue_.size() >= kQueueRecords) return false;
  const bool known = entries_.contains(order.name) || queued_.contains(order.name);
  if (known && (order.owner.empty() || ledger_.owns(order.owner, order.name))) return false;
  Order queued = known ? Order{order.name, order.owner, {}, nullptr, nullptr, {}} : order;  // another owner of a record that is there or comes
  if (queued.writes()) queued_.insert(order.name);
  queue_.push_back(std::move(queued));
  queued_count_ += 1;
  wake_.notify_one();
  return !known;
}

void DiskStore::work() {
  std::unique_lock lock(mutex_);
  for (;;) {
    wake_.wait(lock, [&] { return stopping_ || !queue_.empty(); });
    if (queue_.empty()) return;
    Order order = std::move(queue_.front());
    queue_.pop_front();
    lock.unlock();
    carry_out(order);
    if (order.done) order.done();
    lock.lock();
    if (order.writes()) queued_.erase(order.name);
    done_count_ += 1;
    idle_.notify_all();
  }
}

void DiskStore::carry_out(Order& order) {
  const std::uint64_t bytes = order.snapshot != nullptr ? kSnapshotHeaderBytes + order.snapshot->payload.size() : page_file_bytes();
  {
    const std::scoped_lock lock(mutex_);
    if (order.writes() ? !make_room(bytes) : !entries_.contains(order.name)) return;
    if (!order.owner.empty() && !ledger_.add(order.owner, order.name)) return;  // a file without its owner could not be deleted with it
  }
  if (!order.writes()) return;
  const bool written = write_file(order);
  const std::scoped_lock lock(mutex_);
  if (!written) {
    log(LogLevel::warning, "page_not_kept", {{"folder", folder_}});
    return;
  }
  if (order.snapshot != nullptr)
    insert(order.name, {order.snapshot->previous, {}, bytes, static_cast<std::int64_t>(order.snapshot->rest.size())});
  else
    insert(order.name, {order.header.previous, {}, bytes, -1});
  counters_.written_bytes += bytes;
}

bool DiskStore::write_file(Order& order) {
  HeaderBlock block;
  std::span<const std::byte> data;
  if (order.snapshot != nullptr) {
    data = {order.snapshot->payload.data(), order.snapshot->payload.size()};
    write_snapshot_header(shape_, *order.snapshot, block.bytes);
  } else {
    data = {order.data, shape_.page.page_bytes()};
    describe_page_data(shape_.page, data, order.header);
    write_page_header(shape_.page, order.header, block.bytes);
  }
  const std::string path = path_of(order.name, order.snapshot != nullptr), temporary = path + kTemporary;
  std::error_code error;
  fs::create_directories(fs::path(path).parent_path(), error);
  bool written = !error && write_whole(temporary, block.bytes, data);
  if (written) fs::rename(temporary, path, error);
  written = written && !error;
  if (!written) fs::remove(temporary, error);  // or with its record, or when the store is opened
  return written;
}

bool DiskStore::has_space(std::uint64_t bytes) const {
#ifdef _WIN32
  std::error_code error;
  const fs::space_info space = fs::space(folder_, error);
  return !error && space.available > kSpareBytes + bytes;
#else
  struct statvfs info{};
  if (statvfs(folder_.c_str(), &info) != 0) return false;
  const bool inodes = info.f_files == 0 || info.f_favail > kSpareInodes;  // some file systems count none
  return inodes && static_cast<std::uint64_t>(info.f_bavail) * info.f_frsize > kSpareBytes + bytes;
#endif
}

// Room for one file more: inside the budget, and on the disk. What was unused longest goes first, but never before what continues it.
bool DiskStore::make_room(std::uint64_t bytes) {
  if (bytes > budget_bytes_) return false;
  while (counters_.bytes + counters_.snapshot_bytes + bytes > budget_bytes_) {
    const auto leaf = std::find_if(order_.begin(), order_.end(), [&](const PageName& name) {
      return !pages_after_.contains(name) && !snapshots_after_.contains(name) && !holds_.contains(name);
    });
    if (leaf == order_.end()) return false;
    if (!evict(entries_.find(*leaf))) {
      order_.splice(order_.end(), order_, leaf);  // the next one's turn, when the next file is written
      return false;
    }
    counters_.evictions += 1;
  }
  counters_.full = !has_space(bytes);
  return !counters_.full;
}

void DiskStore::flush() {
  std::unique_lock lock(mutex_);
  idle_.wait(lock, [&, until = queued_count_] { return done_count_ >= until; });
}

// --- reading -----------------------------------------------------------------------------------------------------------------------

bool DiskStore::has(const PageName& name) const {
  const std::scoped_lock lock(mutex_);
  return entries_.contains(name);
}

bool DiskStore::use(const PageName& name, const std::string& owner) {
  if (!open_entry(name)) return false;
  Order order;
  order.name = name;
  order.owner = owner;
  (void)enqueue(order);
  return true;
}

bool DiskStore::open_entry(const PageName& name) {
  const std::scoped_lock lock(mutex_);
  const auto entry = entries_.find(name);
  if (entry == entries_.end()) return false;
  order_.splice(order_.end(), order_, entry->second.place);
  return true;
}

void DiskStore::drop_damaged(const PageName& name) {
  HeaderBlock block;
  Result<AlignedBuffer> data = AlignedBuffer::allocate(shape_.page.page_bytes());
  if (!data.ok()) return;
  const std::span<std::byte> bytes(data.value().data(), shape_.page.page_bytes());
  const Look look = read_whole(path_of(name), block.bytes, bytes);
  if (look == Look::unopened) return;
  if (look == Look::whole) {
    const Result<PageHeader> header = read_page_header(shape_.page, block.bytes);
    if (header.ok() && header.value().name == name && check_page_data(shape_.page, header.value(), bytes).ok()) return;
  }
  discard(name);
}

void DiskStore::discard(const PageName& name) {
  const std::scoped_lock lock(mutex_);
  const auto entry = entries_.find(name);
  if (entry == entries_.end()) return;  // deleted while it was read
  counters_.damaged += 1;
  log(LogLevel::warning, "page_damaged", {{"page", hex_name(name)}});
  if (!counters_.shared) {
    const std::string path = path_of(name, entry->second.rest >= 0);
    std::error_code error;
    fs::remove(path, error);
    if (error)
      outside_.push_back(path);  // its owner keeps it in the ledger
    else
      ledger_.drop(name);
  }
  take_out(entry);
}

bool DiskStore::hold(const PageName& name, std::span<const Token> tokens, PageHeader& header) {
  {
    const std::scoped_lock lock(mutex_);
    const auto entry = entries_.find(name);
    if (entry == entries_.end()) return false;
    holds_[name] += 1;
    order_.splice(order_.end(), order_, entry->second.place);
  }
  HeaderBlock block;
  const Look look = read_whole(path_of(name), block.bytes, {});
  Result<PageHeader> found =
      read_page_header(shape_.page, look == Look::whole ? std::span<const std::byte>(block.bytes) : std::span<const std::byte>());
  if (!found.ok() || found.value().name != name) {
    if (look != Look::unopened) discard(name);
    release(name);
    return false;
  }
  header = std::move(found).value();
  // Sound, but of other tokens: a name that two prefixes share. The file stays, for the other one.
  const bool wanted = std::equal(tokens.begin(), tokens.end(), header.tokens.begin());
  std::error_code error;
  if (wanted)
    fs::last_write_time(path_of(name), fs::file_time_type::clock::now(), error);
  else
    release(name);
  return wanted;
}

void DiskStore::release(const PageName& name) {
  const std::scoped_lock lock(mutex_);
  const auto held = holds_.find(name);
  assert(held != holds_.end());
  if (--held->second == 0) holds_.erase(held);
}

std::int64_t DiskStore::deepest_snapshot(const PageName& previous, std::span<const Token> behind) const {
  const std::scoped_lock lock(mutex_);
  std::int64_t best = -1;
  const auto [begin, end] = snapshots_after_.equal_range(previous);
  for (auto it = begin; it != end; ++it) {
    const std::int64_t rest = entries_.at(it->second).rest;
    if (rest <= best || rest > static_cast<std::int64_t>(behind.size())) continue;
    if (it->second == snapshot_name(previous, behind.first(static_cast<std::size_t>(rest)))) best = rest;
  }
  return best;
}

std::shared_ptr<const Snapshot> DiskStore::read_snapshot(const PageName& previous, std::span<const Token> rest) {
  const PageName name = snapshot_name(previous, rest);
  if (!open_entry(name)) return nullptr;
  const Clock::time_point start = Clock::now();
  const std::string path = path_of(name, true);
  auto snapshot = std::make_shared<Snapshot>();
  HeaderBlock block;
  std::error_code error;
  const std::uint64_t bytes = fs::file_size(path, error);
  if (error && error != std::errc::no_such_file_or_directory) return nullptr;
  bool sound = !error && bytes > kSnapshotHeaderBytes;
  if (sound) {
    // Its length is what the index saw or the header is refused below: no count from an unchecked file decides how much is allocated.
    const std::uint64_t most =
        kSnapshotHeaderBytes + std::max(payload_bytes(shape_, kPageTokens - 1, true), payload_bytes(shape_, kPageTokens - 1, false));
    Result<AlignedBuffer> payload = AlignedBuffer::allocate(static_cast<std::size_t>(std::min(bytes, most) - kSnapshotHeaderBytes));
    if (!payload.ok()) return nullptr;
    snapshot->payload = std::move(payload).value();
    const std::span<std::byte> data(snapshot->payload.data(), snapshot->payload.size());
    const Look look = read_whole(path, block.bytes, data);
    if (look == Look::unopened) return nullptr;
    sound = look == Look::whole;
    const Result<SnapshotHeader> header = read_snapshot_header(shape_, block.bytes);
    sound = sound && header.ok() && header.value().name == name && check_snapshot_payload(header.value(), data).ok();
    if (sound) {
      // Sound, but of other tokens: as with a page.
      if (!std::equal(rest.begin(), rest.end(), header.value().rest.begin(), header.value().rest.end()) || header.value().previous != previous)
        return nullptr;
      snapshot->name = name;
      snapshot->previous = previous;
      snapshot->position = header.value().position;
      snapshot->rest = header.value().rest;
      snapshot->has_hidden = header.value().has_hidden;
      fs::last_write_time(path, fs::file_time_type::clock::now(), error);
    }
  }
  if (!sound) {
    discard(name);
    return nullptr;
  }
  const std::scoped_lock lock(mutex_);
  counters_.read_bytes += bytes;
  counters_.read_seconds += std::chrono::duration<double>(Clock::now() - start).count();
  return snapshot;
}

// --- forgetting --------------------------------------------------------------------------------------------------------------------

void DiskStore::erase_all(std::vector<PageName> names, Deletion& deletion, std::vector<PageName>* all) {
  Names seen(names.begin(), names.end());
  for (std::size_t i = 0; i < names.size(); ++i) {
    for (const Links* links : {&pages_after_, &snapshots_after_}) {
      const auto [begin, end] = links->equal_range(names[i]);
      for (auto it = begin; it != end; ++it)
        if (seen.insert(it->second).second) names.push_back(it->second);
    }
  }
  // By its paths, in the index or not: a file that could not be opened is deleted like any other.
  for (auto it = names.rbegin(); it != names.rend(); ++it) {
    if (all != nullptr) all->push_back(*it);
    bool gone = true;
    for (const bool snapshot : {false, true}) {
      const std::string path = path_of(*it, snapshot);
      gone &= deletion.remove(path);
      gone &= deletion.remove(path + kTemporary, false);
    }
    if (!gone) continue;
    ledger_.drop(*it);
    if (const auto entry = entries_.find(*it); entry != entries_.end()) take_out(entry);
  }
}

Result<Forgotten> DiskStore::forget_owner(const std::string& owner, std::vector<PageName>* names) {
  flush();
  const std::scoped_lock lock(mutex_);
  if (counters_.shared || !ledger_.has_read(owner)) ledger_.read();
  Deletion deletion;
  if (!ledger_.has_read(owner)) deletion.failed(ledger_.path_of(owner), "it can not be read");
  // One more look at what could not be opened: it may be the owner's, or continue what is.
  for (const std::string& path : std::exchange(outside_, {})) adopt(path);
  const auto found = ledger_.all().find(owner);
  if (found == ledger_.all().end()) return deletion.result();
  if (counters_.shared)
    return Status(Code::io_failed, "expected to be the only program that keeps pages in " + folder_ +
                                       ", found that another one writes there: close it, then delete again");
  std::vector<PageName> only;
  for (const PageName& name : found->second)
    if (!ledger_.is_owned_by_another(owner, name)) only.push_back(name);
  erase_all(std::move(only), deletion, names);
  // Nobody can say what is in these; the text that made them is read again where it is still wanted.
  std::erase_if(outside_, [&](const std::string& path) {
    PageName name;
    const bool others = read_hex_name(fs::path(path).stem().string(), name) && ledger_.is_owned_by_another(owner, name);
    return !others && deletion.remove(path);
  });
  if (deletion.complete()) (void)ledger_.remove(owner, deletion);  // last: a crash before leaves what is still there with its owner
  return deletion.result();
}

DiskStats DiskStore::stats() const {
  const std::scoped_lock lock(mutex_);
  return counters_;
}

}  // namespace codicil::kv
