// How fast each table of this machine is, at the shapes of the default model (135M, 576 wide) and one larger layer.
//
// Usage: bench [threads] [attention]: all, or attention alone. Prints, per table: GEMM in G multiply-adds / s and GEMV in GB/s of packed weights, attention for prefill and
// decode. Each figure is the best of several runs, since other programs on the machine can only make a run slower; with one thread
// it is processor time, not time of day, for the same reason. Threads split rows (or kv heads) and are started once per figure.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <random>
#include <thread>
#include <vector>

#include "kernels/reference/formats.h"

using namespace codicil::kernels;  // a program, nothing includes it

namespace {

int threads = 1;

struct Memory {
  explicit Memory(std::size_t bytes) : data(std::aligned_alloc(64, (bytes + 4095) / 4096 * 4096)) { std::memset(data, 0, bytes); }
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;
  ~Memory() { std::free(data); }
  void* data;
};

// One thread: processor time of this thread. More: time of day.
double now_seconds() {
#if defined(CLOCK_THREAD_CPUTIME_ID)
  if (threads == 1) {
    timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
  }
#endif
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// Seconds of the best of `runs` runs of work(thread), which all threads begin together.
template <class Work>
double best_seconds(int runs, const Work& work) {
  std::atomic<int> ready{0}, finished{0};
  double best = 1e9;
  std::vector<std::thread> others;
  for (int i = 1; i < threads; ++i)
    others.emplace_back([&, i] {
      for (int run = 1; run <= runs; ++run) {
        while (ready.load(std::memory_order_acquire) < run) std::this_thread::yield();
        work(i);
        finished.fetch_add(1, std::memory_order_release);
      }
    });
  for (int run = 1; run <= runs; ++run) {
    const double start = now_seconds();
    ready.store(run, std::memory_order_release);
    work(0);
    while (finished.load(std::memory_order_acquire) < run * (threads - 1)) std::this_thread::yield();
    best = std::min(best, now_seconds() - start);
  }
  for (auto& other : others) other.join();
  return best;
}

std::vector<float> random_floats(std::int64_t n) {
  std::mt19937 bits(7);
  std::uniform_real_distribution<float> uniform(-1, 1);
  std::vector<float> out(static_cast<std::size_t>(n));
  for (float& v : out) v = uniform(bits);
  return out;
}

struct Matrix {
  Matrix(const Ops& ops, Type type, std::int64_t rows, std::int64_t cols)
      : packed(ops.packed_bytes(type, rows, cols)), weights{type, rows, cols, packed.data} {
    std::vector<std::uint8_t> gguf(static_cast<std::size_t>(rows * row_bytes(type, cols)));
    std::mt19937 bits(5);
    // 0x3f in every top byte keeps the f16 factors finite; the speed does not depend on the values.
    for (auto& byte : gguf) byte = static_cast<std::uint8_t>(bits() & 0x3f);
    ops.pack(type, gguf.data(), rows, cols, packed.data, 0, rows);
  }
  Memory packed;
  Weights weights;
};

double multiply_seconds(const Ops& ops, const Matrix& matrix, std::int64_t tokens, int runs) {
  const Weights& w = matrix.weights;
  const auto x = random_floats(tokens * w.cols);
  Memory prepared(ops.activation_bytes(w.type, tokens, w.cols)), out(static_cast<std::size_t>(tokens * w.rows) * sizeof(float));
  const Activations activations{tokens, w.cols, prepared.data};
  ops.prepare(w.type, x.data(), w.cols, activations, 0, tokens);
  const std::int64_t groups = (w.rows + ops.pack_rows - 1) / ops.pack_rows;
  return best_seconds(runs, [&](int thread) {
    const std::int64_t begin = groups * thread / threads * ops.pack_rows, end = std::min(w.rows, groups * (thread + 1) / threads * ops.pack_rows);
    ops.matmul(w, activations, static_cast<float*>(out.data), w.rows, begin, end);
  });
}

void bench_matmul(const Ops& ops) {
  struct Shape {
    std::int64_t rows, cols;
  };
  const bool slow = !std::strcmp(ops.name, "reference");
  for (Type type : {Type::q4_0, Type::q8_0, Type::q4_k, Type::q5_0, Type::q6_k, Type::f16}) {
    for (Shape shape : {Shape{1536, 576}, Shape{576, 1536}, Shape{4864, 1024}}) {
      if (shape.cols % find_type(static_cast<std::uint32_t>(type))->block_elements) continue;
      if (slow && shape.rows != 1536) continue;
      const Matrix matrix(ops, type, shape.rows, shape.cols);
      std::printf("%-9s matmul %-5s %5lld x %-4lld", ops.name, find_type(static_cast<std::uint32_t>(type))->name, static_cast<long long>(shape.rows),
                  static_cast<long long>(shape.cols));
      for (std::int64_t tokens : {1, 4, 8, 32, 512}) {
        if (slow && tokens > 4) continue;
        const double seconds = multiply_seconds(ops, matrix, tokens, slow ? 1 : tokens >= 512 ? 10 : 200);
        std::printf("  %lld tok %7.1f GMAC/s", static_cast<long long>(tokens),
                    static_cast<double>(shape.rows * shape.cols * tokens) / seconds * 1e-9);
      }
      std::printf("\n");
    }
  }
  if (slow) return;
  // The output head, larger than the caches of most machines: the speed of reading weights.
  const Matrix head(ops, Type::q8_0, 49152, 576);
  const double seconds = multiply_seconds(ops, head, 1, 20);
  std::printf("%-9s head   q8_0  49152 x 576   1 tok %.2f ms  %.1f GB/s\n", ops.name, seconds * 1e3,
              static_cast<double>(ops.packed_bytes(Type::q8_0, 49152, 576)) / seconds * 1e-9);
}

struct AttentionShape {
  int heads, kv_heads, head_dim;
  std::int64_t queries, first_position;
  KvType k_type = KvType::f16, v_type = KvType::f16;
};

const char* name_of(KvType type) {
  constexpr const char* kNames[] = {"f16", "q8_0", "q4", "nf4", "q5"};
  return kNames[static_cast<int>(type)];
}

// One sequence. Work items are (kv head, block of queries) or, for one query, (kv head, page), dealt out in turn.
void bench_attention(const Ops& ops, const AttentionShape& c) {
  const std::int64_t tokens = c.first_position + c.queries, pages = (tokens + kKvPageTokens - 1) / kKvPageTokens;
  const std::int64_t k_bytes = c.kv_heads * kKvPageTokens * kv_row_bytes(c.k_type, c.head_dim),
                     v_bytes = c.kv_heads * kKvPageTokens * kv_row_bytes(c.v_type, c.head_dim);
  std::vector<std::uint8_t> bytes(static_cast<std::size_t>(pages * (k_bytes + v_bytes)));
  std::mt19937 bits(3);
  for (auto& byte : bytes) byte = static_cast<std::uint8_t>(bits() & 0x3f);  // any f16 of such bytes is finite
  std::vector<KvBlock> blocks;
  for (std::int64_t page = 0; page < pages; ++page)
    blocks.push_back({bytes.data() + page * (k_bytes + v_bytes), bytes.data() + page * (k_bytes + v_bytes) + k_bytes});
  const std::int64_t stride = c.heads * c.head_dim;
  const auto q = random_floats(c.queries * stride);
  std::vector<float> out(q.size());
  const std::size_t scratch_bytes = (ops.attention_scratch_bytes(c.heads, c.kv_heads, c.head_dim, kKvPageTokens) + 63) / 64 * 64;
  const std::size_t state_bytes = static_cast<std::size_t>(c.heads) * attention_carry_bytes(c.head_dim);
  Memory scratch(scratch_bytes * static_cast<std::size_t>(threads)), states(state_bytes * static_cast<std::size_t>(pages));
  const auto base = [&](int thread) {
    AttentionArgs args;
    args.q = q.data(), args.out = out.data();
    args.blocks = blocks.data();
    args.k_type = c.k_type, args.v_type = c.v_type;
    args.page_tokens = kKvPageTokens;
    args.q_stride = args.out_stride = stride;
    args.queries = c.queries, args.first_position = c.first_position;
    args.heads = c.heads, args.kv_heads = c.kv_heads, args.head_dim = c.head_dim;
    args.scale = 1.0f / std::sqrt(static_cast<float>(c.head_dim));
    args.scratch = static_cast<char*>(scratch.data) + scratch_bytes * static_cast<std::size_t>(thread);
    return args;
  };
  const double seconds = best_seconds(c.queries > 1 ? 5 : 50, [&](int thread) {
    AttentionArgs args = base(thread);
    int item = 0;
    for (int h = 0; h < c.kv_heads; ++h) {
      if (c.queries == 1) {
        for (std::int64_t page = 0; page < pages; ++page, ++item) {
          if (item % threads != thread) continue;
          args.key_begin = page * kKvPageTokens, args.key_end = args.key_begin + kKvPageTokens;
          args.page_states = static_cast<char*>(states.data) + state_bytes * static_cast<std::size_t>(page);
          ops.attention(args, h, h + 1);
        }
        continue;
      }
      constexpr std::int64_t kStep = 64;  // as native/model/attention.cc has it
      for (std::int64_t begin = 0; begin < c.queries; begin += kStep, ++item) {
        if (item % threads != thread) continue;
        args.q = q.data() + begin * stride, args.out = out.data() + begin * stride;
        args.queries = std::min(kStep, c.queries - begin);
        args.first_position = c.first_position + begin;
        ops.attention(args, h, h + 1);
      }
    }
    if (c.queries > 1 || thread != 0) return;
    args.key_begin = 0, args.key_end = INT64_MAX;
    args.page_states = states.data;
    ops.attention_merge(args, 0, c.kv_heads);
  });
  const double pairs = static_cast<double>(c.queries) * (static_cast<double>(c.first_position) + 0.5 * static_cast<double>(c.queries + 1));
  std::printf("%-9s attention %d/%d dim %-3d %-4s %-4s %4lld queries from %-5lld  %8.3f ms  %6.1f GMAC/s  %5.1f GB/s\n", ops.name, c.heads,
              c.kv_heads, c.head_dim, name_of(c.k_type), name_of(c.v_type), static_cast<long long>(c.queries),
              static_cast<long long>(c.first_position), seconds * 1e3, pairs * c.heads * c.head_dim * 2 / seconds * 1e-9,
              static_cast<double>(bytes.size()) / seconds * 1e-9);
}

void bench_rows(const Ops& ops) {
  const auto x = random_floats(512 * 1536), weight = random_floats(1536);
  std::vector<float> a(x), b(x);
  const auto time = [&](const char* name, auto&& work) {
    const double seconds = best_seconds(20, [&](int thread) {
      if (thread == 0) work();
    });
    std::printf("%-9s %-22s %8.1f us for 512 tokens, 1 thread\n", ops.name, name, seconds * 1e6);
  };
  time("rms_norm 576", [&] {
    for (int t = 0; t < 512; ++t) ops.rms_norm(x.data() + t * 576, weight.data(), 1e-5f, a.data() + t * 576, 576);
  });
  time("silu_mul 1536", [&] {
    for (int t = 0; t < 512; ++t) ops.silu_mul(a.data() + t * 1536, b.data() + t * 1536, 1536);
  });
  time("rope 9 x 64", [&] {
    for (int t = 0; t < 512; ++t) ops.rope(RopeKind::interleaved, a.data() + t * 576, 9, 64, 64, weight.data());
  });
  time("add 576", [&] {
    for (int t = 0; t < 512; ++t) ops.add(a.data() + t * 576, b.data() + t * 576, 576);
  });
  Memory prepared(ops.activation_bytes(Type::q4_0, 512, 576));
  time("prepare q4_0 576", [&] { ops.prepare(Type::q4_0, x.data(), 576, {512, 576, prepared.data}, 0, 512); });
  time("log_sum_exp 49152 (x1)", [&] { a[0] += static_cast<float>(ops.log_sum_exp(x.data(), 49152)) * 1e-9f; });
}

}  // namespace

int main(int argc, char** argv) {
  threads = argc > 1 ? std::max(1, std::atoi(argv[1])) : 1;
  std::printf("threads %d, best table %s\n", threads, best_cpu().name);
  for (const char* name : {"reference", "avx2", "avx512", "amx"}) {
    const Ops* ops = std::strcmp(name, "reference") ? find_cpu(name) : &reference();
    if (!ops) {
      std::printf("SKIPPED: table %s, this machine cannot run it\n", name);
      continue;
    }
    const bool all = argc < 3;
    if (all) bench_matmul(*ops);
    if (ops == &reference()) continue;
    for (const AttentionShape& shape : std::initializer_list<AttentionShape>{{9, 3, 64, 512, 0},
                                                                             {9, 3, 64, 2400, 0},
                                                                             {9, 3, 64, 512, 4096},
                                                                             {9, 3, 64, 1, 512},
                                                                             {9, 3, 64, 1, 2400},
                                                                             {9, 3, 64, 1, 4096},
                                                                             {9, 3, 64, 1, 65535},
                                                                             {16, 2, 128, 512, 1024},
                                                                             {16, 2, 256, 1, 16384}})
      bench_attention(*ops, shape);
    for (const auto& [k, v] : {std::pair{KvType::f16, KvType::f16},
                               {KvType::q8_0, KvType::q8_0},
                               {KvType::q8_0, KvType::q5},
                               {KvType::q8_0, KvType::q4},
                               {KvType::q4, KvType::q4},
                               {KvType::nf4, KvType::nf4}}) {
      bench_attention(*ops, {9, 3, 64, 1, 16384, k, v});
      bench_attention(*ops, {9, 3, 64, 256, 4096, k, v});
    }
    if (all) bench_rows(*ops);
  }
  return 0;
}
