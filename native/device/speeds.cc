// See speeds.h.
#include "native/device/speeds.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <barrier>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <sstream>
#include <thread>
#include <vector>

#include "native/base/file.h"
#include "native/device/machine.h"

namespace codicil::device {
namespace {

using Clock = std::chrono::steady_clock;
using kernels::Ops;
using kernels::Type;

constexpr const char* kVersion = "codicil-speeds-2";
constexpr int kTries = 4;
constexpr std::int64_t kCols = 2048;
// Of one pass over weights, or over keys and values. What a model reads for a token may lie in the last cache or far beyond it, and memory gives a
// quarter of what that cache does: the pass is as long as the model's, up to a length that no cache holds (and that is made in half a second).
constexpr std::size_t kLeastPass = std::size_t{24} << 20, kMostPass = std::size_t{192} << 20;
constexpr std::int64_t kPageTokens = 256;
constexpr std::int64_t kDepth = 4096;  // tokens of attention
// Of the disk: enough that its own cache of some blocks does not show, and a fifth of a second at 1 GB/s.
constexpr std::size_t kDiskBytes = std::size_t{192} << 20, kDiskRequest = std::size_t{576} << 10;
constexpr int kDiskThreads = 12;

double seconds_of(const std::function<void()>& work) {
  const Clock::time_point start = Clock::now();
  work();
  return std::max(1e-9, std::chrono::duration<double>(Clock::now() - start).count());
}

double best_seconds(const std::function<void()>& work) {
  double best = seconds_of(work);
  for (int i = 1; i < kTries; ++i) best = std::min(best, seconds_of(work));
  return best;
}

// Rates without a folder, of this process.
std::mutex process_mutex;
std::map<std::string, double> process_rates;

std::string today() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  char text[16];
  std::strftime(text, sizeof text, "%Y-%m-%d", &parts);
  return text;
}

// Days since the day of that form; a negative number where it is none.
double days_since(const std::string& day) {
  std::tm parts{};
  if (std::sscanf(day.c_str(), "%d-%d-%d", &parts.tm_year, &parts.tm_mon, &parts.tm_mday) != 3) return -1;
  parts.tm_year -= 1900;
  parts.tm_mon -= 1;
  return std::difftime(std::time(nullptr), timegm(&parts)) / 86'400;
}

// Rows of kCols weights of that type that are about so many bytes of a file; a multiple of every table's pack_rows.
std::int64_t rows_in(const kernels::TypeInfo& info, std::size_t bytes) {
  return static_cast<std::int64_t>(bytes) * info.block_elements / info.block_bytes / kCols / 256 * 256;
}
std::string in_mib(std::size_t bytes) { return std::to_string(bytes >> 20) + " MiB"; }

// A matrix of zeros in that table's packing: kernels take as long with any numbers.
struct Packed {
  AlignedBuffer raw, memory;
  kernels::Weights weights;
  Packed(const Ops& ops, ThreadPool& pool, Type type, std::int64_t rows) {
    const kernels::TypeInfo& info = *kernels::find_type(static_cast<std::uint32_t>(type));
    const std::size_t bytes = ops.packed_bytes(type, rows, kCols);
    const auto raw_bytes = static_cast<std::size_t>(rows * kCols / info.block_elements * info.block_bytes);
    Result<AlignedBuffer> packed = AlignedBuffer::allocate(bytes), file = AlignedBuffer::allocate(raw_bytes);
    if (bytes == 0 || !packed.ok() || !file.ok()) return;
    memory = std::move(packed).value();
    raw = std::move(file).value();
    weights = {type, rows, kCols, memory.data()};
    pack(ops, pool);
  }
  void pack(const Ops& ops, ThreadPool& pool) {
    pool.parallel_for(0, weights.rows, ops.pack_rows, [&](std::int64_t begin, std::int64_t end, int) {
      ops.pack(weights.type, raw.data(), weights.rows, kCols, memory.data(), begin, end);
    });
  }
};

struct Prepared {
  AlignedBuffer memory, out;
  kernels::Activations x;
  Prepared(const Ops& ops, Type type, std::int64_t tokens, std::int64_t rows) {
    const std::vector<float> input(static_cast<std::size_t>(tokens * kCols), 0.5f);
    Result<AlignedBuffer> m = AlignedBuffer::allocate(ops.activation_bytes(type, tokens, kCols));
    Result<AlignedBuffer> o = AlignedBuffer::allocate(static_cast<std::size_t>(tokens * rows) * sizeof(float));
    if (!m.ok() || !o.ok()) return;
    memory = std::move(m).value();
    out = std::move(o).value();
    x = {tokens, kCols, memory.data()};
    ops.prepare(type, input.data(), kCols, x, 0, tokens);
  }
};

// Pages of zeros for one kv head, and what a call of attention over them needs.
struct Pages {
  AlignedBuffer memory;
  std::vector<kernels::KvBlock> blocks;
  std::size_t bytes_per_token = 0;
  Pages(kernels::KvType k, kernels::KvType v, int head_dim, std::int64_t depth) {
    const auto k_bytes = static_cast<std::size_t>(kernels::kv_row_bytes(k, head_dim)),
               v_bytes = static_cast<std::size_t>(kernels::kv_row_bytes(v, head_dim));
    bytes_per_token = k_bytes + v_bytes;
    Result<AlignedBuffer> m = AlignedBuffer::allocate(bytes_per_token * static_cast<std::size_t>(depth));
    if (!m.ok()) return;
    memory = std::move(m).value();
    std::memset(memory.data(), 0, memory.size());  // untouched pages would all be the system's one page of zeros
    for (std::int64_t page = 0; page < depth / kPageTokens; ++page) {
      const std::byte* at = memory.data() + static_cast<std::size_t>(page * kPageTokens) * bytes_per_token;
      blocks.push_back({at, at + k_bytes * kPageTokens});
    }
  }
};

}  // namespace

Speeds::Speeds(int threads, std::string folder) : threads_(std::max(threads, 1)), folder_(std::move(folder)), day_(today()) {
  const Machine machine = read_machine();
  processor_ = machine.cpu;
  most_pass_ = std::min<std::uint64_t>(kMostPass, machine.memory_available_bytes / 8);
  load();
}

Speeds::~Speeds() {
  if (!changed_) return;
  if (folder_.empty()) {
    const std::scoped_lock lock(process_mutex);
    process_rates.insert(rates_.begin(), rates_.end());
    return;
  }
  std::error_code error;
  std::filesystem::create_directories(folder_, error);
  const std::string path = (std::filesystem::path(folder_) / "machine.speeds").string(), temporary = path + "." + std::to_string(getpid());
  std::ofstream out(temporary);
  out << kVersion << '\t' << day_ << '\t' << processor_ << '\n';
  for (const auto& [name, rate] : rates_) out << name << '\t' << rate << '\n';
  out.close();
  if (!out || std::rename(temporary.c_str(), path.c_str()) != 0) std::remove(temporary.c_str());  // measured anew the next time
}

void Speeds::load() {
  if (folder_.empty()) {
    const std::scoped_lock lock(process_mutex);
    rates_ = process_rates;
    return;
  }
  std::ifstream in((std::filesystem::path(folder_) / "machine.speeds").string());
  std::string version, day, processor, line;
  if (!std::getline(in, version, '\t') || !std::getline(in, day, '\t') || !std::getline(in, processor)) return;
  const double days = days_since(day);
  if (version != kVersion || processor != processor_ || days < 0 || days > kKeptDays) return;
  std::map<std::string, double> rates;
  while (std::getline(in, line)) {
    std::istringstream fields(line);
    std::string name;
    double rate = 0;
    if (!std::getline(fields, name, '\t') || !(fields >> rate) || !std::isfinite(rate) || rate <= 0) return;
    rates[name] = rate;
  }
  rates_ = std::move(rates);
  day_ = day;
}

ThreadPool& Speeds::pool() {
  if (pool_ == nullptr) pool_ = std::make_unique<ThreadPool>(threads_);
  return *pool_;
}

double Speeds::get(const std::string& name, const std::function<double()>& measure) {
  const std::string key = name + " x" + std::to_string(threads_);
  if (const auto found = rates_.find(key); found != rates_.end()) return found->second;
  const double rate = measure();
  if (!(rate > 1)) return 1;  // it could not be measured (no memory, no such file), which may be otherwise the next time
  changed_ = true;
  return rates_[key] = rate;
}

// The measured length for `bytes`: one of four, so that models share what was measured. Never more than an eighth of the memory that is free.
std::size_t Speeds::pass_bytes(double bytes) const {
  std::size_t pass = kLeastPass;
  while (2 * pass <= most_pass_ && static_cast<double>(pass) < bytes) pass *= 2;
  return pass;
}

double Speeds::one_token(const Ops& ops, Type type, double bytes) {
  const kernels::TypeInfo& info = *kernels::find_type(static_cast<std::uint32_t>(type));
  const std::size_t pass = pass_bytes(bytes);
  return get(std::string(ops.name) + " one " + info.name + " " + in_mib(pass), [&] {
    const std::int64_t rows = rows_in(info, pass);
    const Packed packed(ops, pool(), type, rows);
    const Prepared x(ops, type, 1, rows);
    if (packed.memory.size() == 0) return 0.0;
    auto* out = const_cast<float*>(x.out.as<float>());
    return static_cast<double>(packed.memory.size()) / best_seconds([&] {
             pool().parallel_for(0, rows, ops.pack_rows,
                                 [&](std::int64_t begin, std::int64_t end, int) { ops.matmul(packed.weights, x.x, out, rows, begin, end); });
           });
  });
}

double Speeds::many_tokens(const Ops& ops, Type type, std::int64_t tokens) {
  const kernels::TypeInfo& info = *kernels::find_type(static_cast<std::uint32_t>(type));
  return get(std::string(ops.name) + " many " + info.name + " " + std::to_string(tokens), [&] {
    constexpr std::int64_t kRows = 1024;
    const Packed packed(ops, pool(), type, kRows);
    if (packed.memory.size() == 0) return 0.0;
    std::vector<std::unique_ptr<Prepared>> each;
    for (int i = 0; i < threads_; ++i) each.push_back(std::make_unique<Prepared>(ops, type, tokens, kRows));
    return static_cast<double>(kRows * kCols * tokens * threads_) / best_seconds([&] {
             pool().parallel_for(0, threads_, 1, [&](std::int64_t begin, std::int64_t end, int) {
               for (std::int64_t i = begin; i < end; ++i) {
                 Prepared& mine = *each[static_cast<std::size_t>(i)];
                 ops.matmul(packed.weights, mine.x, mine.out.as<float>(), kRows, 0, kRows);
               }
             });
           });
  });
}

double Speeds::packing(const Ops& ops, Type type) {
  const kernels::TypeInfo& info = *kernels::find_type(static_cast<std::uint32_t>(type));
  return get(std::string(ops.name) + " packing " + info.name, [&] {
    Packed packed(ops, pool(), type, rows_in(info, kLeastPass));
    if (packed.memory.size() == 0) return 0.0;
    std::memset(packed.raw.data(), 0, packed.raw.size());  // as for Pages
    return static_cast<double>(packed.raw.size()) / best_seconds([&] { packed.pack(ops, pool()); });
  });
}

namespace {

// Attention of `queries` tokens at the end of `depth`, one kv head for each thread; seconds.
double attention_seconds(const Ops& ops, ThreadPool& pool, kernels::KvType k, kernels::KvType v, int head_dim, int group, std::int64_t queries,
                         std::int64_t depth) {
  const auto width = static_cast<std::size_t>(group * head_dim);
  std::vector<Pages> pages;
  std::vector<AlignedBuffer> scratch;
  for (int i = 0; i < pool.threads(); ++i) {
    pages.emplace_back(k, v, head_dim, depth);
    Result<AlignedBuffer> room = AlignedBuffer::allocate(ops.attention_scratch_bytes(group, 1, head_dim, kPageTokens));
    if (pages.back().blocks.empty() || !room.ok()) return HUGE_VAL;
    scratch.push_back(std::move(room).value());
  }
  const std::vector<float> q(static_cast<std::size_t>(queries) * width, 0.1f);
  std::vector<std::vector<float>> out(pages.size(), std::vector<float>(q.size()));
  return best_seconds([&] {
    pool.parallel_for(0, pool.threads(), 1, [&](std::int64_t begin, std::int64_t end, int) {
      for (std::int64_t i = begin; i < end; ++i) {
        const auto at = static_cast<std::size_t>(i);
        kernels::AttentionArgs args;
        args.q = q.data();
        args.q_stride = args.out_stride = static_cast<std::int64_t>(width);
        args.out = out[at].data();
        args.blocks = pages[at].blocks.data();
        args.k_type = k, args.v_type = v;
        args.page_tokens = kPageTokens;
        args.queries = queries;
        args.first_position = depth - queries;
        args.heads = group, args.kv_heads = 1, args.head_dim = head_dim;
        args.scale = 0.1f;
        args.scratch = scratch[at].data();
        ops.attention(args, 0, 1);
      }
    });
  });
}

std::string attention_name(const Ops& ops, const char* what, kernels::KvType k, kernels::KvType v, int head_dim, int group) {
  return std::string(ops.name) + " attention " + what + " " + std::to_string(static_cast<int>(k)) + "/" + std::to_string(static_cast<int>(v)) + " " +
         std::to_string(head_dim) + "x" + std::to_string(group);
}

}  // namespace

double Speeds::attention_one(const Ops& ops, kernels::KvType k, kernels::KvType v, int head_dim, int group, double bytes) {
  const std::size_t pass = pass_bytes(bytes);
  return get(attention_name(ops, "one", k, v, head_dim, group) + " " + in_mib(pass), [&] {
    const std::int64_t row = kernels::kv_row_bytes(k, head_dim) + kernels::kv_row_bytes(v, head_dim);
    const std::int64_t depth = static_cast<std::int64_t>(pass) / (row * threads_ * kPageTokens) * kPageTokens + kPageTokens;
    return static_cast<double>(row * depth * threads_) / attention_seconds(ops, pool(), k, v, head_dim, group, 1, depth);
  });
}

double Speeds::attention_many(const Ops& ops, kernels::KvType k, kernels::KvType v, int head_dim, int group) {
  return get(attention_name(ops, "many", k, v, head_dim, group), [&] {
    constexpr std::int64_t kQueries = 64;
    return 2.0 * head_dim * group * kQueries * kDepth * threads_ / attention_seconds(ops, pool(), k, v, head_dim, group, kQueries, kDepth);
  });
}

double Speeds::recurrence(const Ops& ops, int dim, std::int64_t tokens) {
  return get(std::string(ops.name) + " recurrence " + std::to_string(dim) + " " + std::to_string(tokens), [&] {
    const auto width = static_cast<std::size_t>(tokens * dim);
    const std::vector<float> x(width, 0.05f), gates(static_cast<std::size_t>(tokens), 0.5f);
    struct Own {
      std::vector<float> state, out;
    };
    std::vector<Own> own(static_cast<std::size_t>(threads_), {std::vector<float>(static_cast<std::size_t>(dim * dim)), std::vector<float>(width)});
    return static_cast<double>(tokens * threads_) / best_seconds([&] {
             pool().parallel_for(0, threads_, 1, [&](std::int64_t begin, std::int64_t end, int) {
               for (std::int64_t i = begin; i < end; ++i) {
                 kernels::DeltaArgs args;
                 args.state = own[static_cast<std::size_t>(i)].state.data();
                 args.q = args.k = args.v = x.data();
                 args.qkv_stride = args.out_stride = dim;
                 args.decay = args.beta = gates.data();
                 args.gate_stride = 1;
                 args.out = own[static_cast<std::size_t>(i)].out.data();
                 args.tokens = tokens;
                 args.key_dim = args.value_dim = dim;
                 ops.delta_rule(args);
               }
             });
           });
  });
}

double Speeds::barrier() {
  return get("barrier", [&] {
    constexpr int kMeetings = 500;
    return kMeetings / best_seconds([&] {
             for (int i = 0; i < kMeetings; ++i) pool().parallel_for(0, threads_, 1, [](std::int64_t, std::int64_t, int) {});
           });
  });
}

double Speeds::disk(const std::string& path, std::int64_t together) {
  return get(together > 0 ? "disk by " + std::to_string(together) : "disk", [&] {
    const Result<File> file = File::open(path, File::Access::direct);
    if (!file.ok() || file.value().size() < kDiskRequest) return 0.0;
    const std::uint64_t places = file.value().size() / kDiskRequest;
    constexpr auto kRequests = static_cast<std::int64_t>(kDiskBytes / kDiskRequest);
    const std::int64_t burst = together > 0 ? std::min(together, kRequests) : kRequests;
    std::atomic<std::int64_t> next{0};
    std::atomic<std::uint64_t> bytes_read{0};
    std::int64_t end = burst;
    std::barrier all_done(kDiskThreads, [&]() noexcept {
      next = end;
      end += burst;
    });
    const auto read = [&] {
      const Result<AlignedBuffer> room = AlignedBuffer::allocate(std::size_t{2} << 20);
      const std::span<std::byte> bytes(room.ok() ? const_cast<std::byte*>(room.value().data()) : nullptr, room.ok() ? room.value().size() : 0);
      while (end <= kRequests) {
        // Places are spread over the file by a step that shares no factor with most counts: neither in order nor twice.
        for (std::int64_t i = next++; i < end && !bytes.empty(); i = next++)
          if (file.value().read_around(static_cast<std::uint64_t>(i) * 7919 % places * kDiskRequest, kDiskRequest, bytes).ok())
            bytes_read += kDiskRequest;
        all_done.arrive_and_wait();
      }
    };
    const double seconds = seconds_of([&] {
      std::vector<std::thread> threads;
      for (int i = 0; i < kDiskThreads; ++i) threads.emplace_back(read);
      for (std::thread& thread : threads) thread.join();
    });
    return static_cast<double>(bytes_read.load()) / seconds;
  });
}

}  // namespace codicil::device
