// DiskQueue over io_uring, and over threads. See disk_queue.h.
//
// The ring's memory is shared with the system: its indices are read and written with acquire and release, as the system does on its side.
// Between our own threads everything goes through the mutex: a request is found by its number, never by a pointer that the system carried.
#include "native/base/disk_queue.h"

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <mutex>
#include <thread>
#include <unordered_map>
#include <utility>
#include <vector>

#ifdef __linux__
#include <linux/io_uring.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#endif

namespace codicil {

bool is_direct(const void* data, std::uint64_t offset, std::size_t bytes) {
  return reinterpret_cast<std::uintptr_t>(data) % kDirectAlign == 0 && offset % kDirectAlign == 0 && bytes % kDirectAlign == 0;
}

int open_for_reading(const std::string& path, bool direct) {
#ifdef O_DIRECT
  if (direct) {
    const int file = ::open(path.c_str(), O_RDONLY | O_DIRECT | O_CLOEXEC);
    if (file >= 0 || errno != EINVAL) return file;  // EINVAL: this file system has only cached files
  }
#else
  (void)direct;
#endif
  return ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
}

bool read_fully(int file, std::uint64_t offset, std::span<std::byte> out) {
  while (!out.empty()) {
    const ssize_t got = ::pread(file, out.data(), out.size(), static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    offset += static_cast<std::uint64_t>(got);
    out = out.subspan(static_cast<std::size_t>(got));
  }
  return true;
}

namespace {

using Done = std::function<void(bool)>;

// Requests that the disk sees at a time. NVMe reaches its rate with 16 to 32 of 256 KiB; twice that hides a late thread.
constexpr unsigned kInFlight = 64;
// Without a ring each request in flight needs a thread; these sleep in the system, so there may be more of them than cores.
constexpr int kThreads = 8;

class ThreadQueue final : public DiskQueue {
 public:
  ThreadQueue() {
    for (int i = 0; i < kThreads; ++i) threads_.emplace_back([this] { work(); });
  }
  ~ThreadQueue() override {
    {
      const std::scoped_lock lock(mutex_);
      stopping_ = true;
      wake_.notify_all();
    }
    for (std::thread& thread : threads_) thread.join();
  }
  ThreadQueue(const ThreadQueue&) = delete;
  ThreadQueue& operator=(const ThreadQueue&) = delete;

  void read(DiskRead request, Done done) override {
    const std::scoped_lock lock(mutex_);
    waiting_.emplace_back(std::move(request), std::move(done));
    wake_.notify_one();
  }
  const char* name() const override { return "threads"; }

 private:
  void work() {
    std::unique_lock lock(mutex_);
    for (;;) {
      wake_.wait(lock, [&] { return stopping_ || !waiting_.empty(); });
      if (waiting_.empty()) return;
      const auto [request, done] = std::move(waiting_.front());
      waiting_.pop_front();
      lock.unlock();
      const int file = open_for_reading(request.path, is_direct(request.out.data(), request.offset, request.out.size()));
      const bool ok = file >= 0 && read_fully(file, request.offset, request.out);
      if (file >= 0) ::close(file);
      done(ok);
      lock.lock();
    }
  }

  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<std::pair<DiskRead, Done>> waiting_;  // guarded
  bool stopping_ = false;                          // guarded
  std::vector<std::thread> threads_;
};

#ifdef __linux__

int ring_setup(unsigned entries, io_uring_params* params) { return static_cast<int>(::syscall(__NR_io_uring_setup, entries, params)); }
int ring_enter(int ring, unsigned submit, unsigned wait, unsigned flags) {
  return static_cast<int>(::syscall(__NR_io_uring_enter, ring, submit, wait, flags, nullptr, 0));
}

// A mapping of the ring, unmapped with its owner.
struct Mapping {
  void* data = MAP_FAILED;
  std::size_t bytes = 0;
  bool map(int ring, std::size_t length, std::uint64_t offset) {
    bytes = length;
    data = ::mmap(nullptr, length, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, ring, static_cast<off_t>(offset));
    return data != MAP_FAILED;
  }
  ~Mapping() {
    if (data != MAP_FAILED) ::munmap(data, bytes);
  }
  Mapping() = default;
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;
  unsigned* at(unsigned offset) const { return reinterpret_cast<unsigned*>(static_cast<char*>(data) + offset); }
};

class RingQueue final : public DiskQueue {
 public:
  ~RingQueue() override {
    if (reaper_.joinable()) {
      {
        std::unique_lock lock(mutex_);
        idle_.wait(lock, [&] { return open_.empty() && waiting_.empty(); });
        submit(IORING_OP_NOP, kStop, nullptr);
      }
      reaper_.join();
    }
    if (ring_ >= 0) ::close(ring_);
  }
  RingQueue() = default;
  RingQueue(const RingQueue&) = delete;
  RingQueue& operator=(const RingQueue&) = delete;

  // False where the system has no ring or does not let this process have one (ENOSYS, EPERM; containers often forbid it).
  bool start() {
    io_uring_params params{};
    ring_ = ring_setup(kInFlight, &params);
    if (ring_ < 0) return false;
    if (!submissions_.map(ring_, params.sq_off.array + params.sq_entries * sizeof(unsigned), IORING_OFF_SQ_RING) ||
        !completions_.map(ring_, params.cq_off.cqes + params.cq_entries * sizeof(io_uring_cqe), IORING_OFF_CQ_RING) ||
        !entries_.map(ring_, params.sq_entries * sizeof(io_uring_sqe), IORING_OFF_SQES))
      return false;
    submission_tail_ = submissions_.at(params.sq_off.tail);
    submission_mask_ = *submissions_.at(params.sq_off.ring_mask);
    submission_index_ = submissions_.at(params.sq_off.array);
    completion_head_ = completions_.at(params.cq_off.head);
    completion_tail_ = completions_.at(params.cq_off.tail);
    completion_mask_ = *completions_.at(params.cq_off.ring_mask);
    completed_ = reinterpret_cast<const io_uring_cqe*>(completions_.at(params.cq_off.cqes));
    reaper_ = std::thread([this] { reap(); });
    return true;
  }

  void read(DiskRead request, Done done) override {
    const std::scoped_lock lock(mutex_);
    waiting_.emplace_back(std::move(request), std::move(done));
    if (open_.size() < kInFlight) begin_next();
  }
  const char* name() const override { return "io_uring"; }

 private:
  struct Open {
    DiskRead request;
    Done done;
    int file = -1;
  };
  static constexpr std::uint64_t kStop = 0;

  // The mutex is held, and fewer than kInFlight requests are open. A file that does not open is completed by the reaper like any other: as a
  // read of descriptor -1, which the system refuses.
  void begin_next() {
    const std::uint64_t number = next_number_++;
    Open& open = open_[number];
    open.request = std::move(waiting_.front().first);
    open.done = std::move(waiting_.front().second);
    waiting_.pop_front();
    const DiskRead& r = open.request;
    open.file = open_for_reading(r.path, is_direct(r.out.data(), r.offset, r.out.size()));
    submit(IORING_OP_READ, number, &open);
  }

  void submit(std::uint8_t operation, std::uint64_t number, const Open* open) {
    const unsigned tail = *submission_tail_;  // written under the mutex only
    const unsigned slot = tail & submission_mask_;
    io_uring_sqe& entry = static_cast<io_uring_sqe*>(entries_.data)[slot];
    std::memset(&entry, 0, sizeof entry);
    entry.opcode = operation;
    entry.user_data = number;
    if (open != nullptr) {
      entry.fd = open->file;
      entry.off = open->request.offset;
      entry.addr = reinterpret_cast<std::uint64_t>(open->request.out.data());
      entry.len = static_cast<unsigned>(open->request.out.size());
    }
    submission_index_[slot] = slot;
    std::atomic_ref(*submission_tail_).store(tail + 1, std::memory_order_release);
    while (ring_enter(ring_, 1, 0, 0) < 0 && (errno == EINTR || errno == EAGAIN || errno == EBUSY)) std::this_thread::yield();
  }

  void reap() {
    for (;;) {
      unsigned head = *completion_head_;  // written by this thread only
      const unsigned tail = std::atomic_ref(*completion_tail_).load(std::memory_order_acquire);
      if (head == tail) {
        (void)ring_enter(ring_, 0, 1, IORING_ENTER_GETEVENTS);  // an interruption only means to look again
        continue;
      }
      const io_uring_cqe entry = completed_[head & completion_mask_];
      std::atomic_ref(*completion_head_).store(head + 1, std::memory_order_release);
      if (entry.user_data == kStop) return;
      finish(entry.user_data, entry.res);
    }
  }

  void finish(std::uint64_t number, int result) {
    Open open;
    {
      const std::scoped_lock lock(mutex_);
      const auto found = open_.find(number);
      open = std::move(found->second);
    }
    // Short, or refused (an old system knows no IORING_OP_READ): the rest the plain way.
    const auto got = static_cast<std::size_t>(result > 0 ? result : 0);
    const bool ok =
        got == open.request.out.size() || (open.file >= 0 && read_fully(open.file, open.request.offset + got, open.request.out.subspan(got)));
    if (open.file >= 0) ::close(open.file);
    open.done(ok);
    const std::scoped_lock lock(mutex_);
    open_.erase(number);
    if (!waiting_.empty()) begin_next();
    if (open_.empty()) idle_.notify_all();
  }

  int ring_ = -1;
  Mapping submissions_, completions_, entries_;
  unsigned *submission_tail_ = nullptr, *submission_index_ = nullptr, *completion_head_ = nullptr, *completion_tail_ = nullptr;
  unsigned submission_mask_ = 0, completion_mask_ = 0;
  const io_uring_cqe* completed_ = nullptr;
  std::mutex mutex_;
  std::condition_variable idle_;
  std::deque<std::pair<DiskRead, Done>> waiting_;  // guarded
  std::unordered_map<std::uint64_t, Open> open_;   // guarded
  std::uint64_t next_number_ = kStop + 1;          // guarded
  std::thread reaper_;
};

#endif

}  // namespace

std::unique_ptr<DiskQueue> DiskQueue::create(Kind kind) {
#ifdef __linux__
  if (kind != Kind::threads) {
    auto ring = std::make_unique<RingQueue>();
    if (ring->start()) return ring;
  }
#endif
  if (kind == Kind::ring) return nullptr;
  return std::make_unique<ThreadQueue>();
}

}  // namespace codicil
