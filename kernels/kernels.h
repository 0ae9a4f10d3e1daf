// The op table: everything the engine computes, once as a meaning and several times as speed.
//
// Owns: the tensor types, the layouts of packed weights and quantized activations, and `Ops`, a table of plain functions.
// `reference()` is the specification: scalar, readable, the judge of every other table. `best_cpu()` picks the fastest table
// that this machine can really run (cpuid AND xgetbv: an instruction set counts only if the system has enabled its registers).
// Leaves to native/: threads (every op that costs time takes a range [begin, end) so that the caller splits it), memory, pages.
// Rules that must stay true: no op allocates, throws, locks or prints; results do not depend on how a range was split
// (so a result is the same bit for bit with 1 thread or many); nothing here includes anything from native/.
#pragma once

#include <cstddef>
#include <cstdint>

namespace codicil::kernels {

// Values are GGUF's own type numbers (gguf spec, "ggml_type").
enum class Type : std::uint32_t {
  f32 = 0,
  f16 = 1,
  q4_0 = 2,
  q4_1 = 3,
  q5_0 = 6,
  q5_1 = 7,
  q8_0 = 8,
  q2_k = 10,
  q3_k = 11,
  q4_k = 12,
  q5_k = 13,
  q6_k = 14,
  iq4_nl = 20,
  iq4_xs = 23,
  bf16 = 30,
  mxfp4 = 39,
};

struct TypeInfo {
  Type type;
  const char* name;
  std::int64_t block_elements;  // elements in one block
  std::int64_t block_bytes;     // bytes of one block
  bool implemented;             // false: known by name and size only; a model that uses it is refused
};
const TypeInfo* find_type(std::uint32_t gguf_type);  // null: not a type number that is known

// A weight matrix W[rows, cols] (row = one output feature, cols contiguous) as its table packed it.
struct Weights {
  Type type = Type::f32;
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  const void* data = nullptr;  // packed_bytes(type, rows, cols) bytes, 64-byte aligned, layout private to the table
};

// Activations X[tokens, cols] prepared for matmul: f32 for float weights; for quantized weights int8 blocks of 32 with an f32 scale
// and the sum of the block's quants (x ~ scale * q). Layout private to the table; size from activation_bytes().
struct Activations {
  std::int64_t tokens = 0;
  std::int64_t cols = 0;
  void* data = nullptr;  // activation_bytes(type, tokens, cols) bytes, 64-byte aligned
};

// How a row of keys or values (one token, one kv head: head_dim numbers) lies in its page. The quantized ones are blocks of 32 numbers:
// an f16 scale d, then the codes; a number is read back as code's level x d in f32, so every table reads the same.
//   f16    head_dim f16
//   q8_0   [f16 d][int8 code x 32]: level = code, d = largest / 127 (the block of GGUF's q8_0)
//   q4     [f16 d][16 bytes: codes 0..15 in the low nibbles, 16..31 in the high]: level = one of 16 int8 with the least squared error for 32
//          normal numbers (0.0056 of the variance; 0.0079 for even steps, 0.0076 for nf4); d may be negative
//   q5     the bytes of q4, then 4 bytes: bit i of byte j is the fifth bit of code 8 j + i; level = one of 32 int8 (0.00135 of the variance)
//   nf4    the same bytes; level = 16 quantiles of a normal distribution (Dettmers et al. 2023, QLoRA, appendix E), d = largest
// Keys of 16 consecutive tokens lie interleaved, so that vectors of 16 lanes multiply 16 keys without a shuffle: what a row has one after the other
// (numbers of f16; of a block its scale, then its code bytes), a group has 16 times each, of token 0 to 15. Values lie row by row.
enum class KvType : std::uint8_t { f16, q8_0, q4, nf4, q5 };
inline constexpr std::int64_t kKvBlock = 32;        // numbers that share a scale; head_dim is a multiple of it, except for f16
inline constexpr int kKvGroup = 16;                 // tokens whose keys lie interleaved
inline constexpr int kKvPageTokens = 256;           // most tokens of a page
inline constexpr std::int64_t kHadamardBlock = 64;  // numbers that are rotated together
std::int64_t kv_row_bytes(KvType type, std::int64_t head_dim);

// Keys and values of one page for one layer, as the attention op reads them.
struct KvBlock {
  const void* k = nullptr;  // [kv_heads, page_tokens / 16] groups of AttentionArgs::k_type
  const void* v = nullptr;  // [kv_heads, page_tokens] rows of AttentionArgs::v_type
};

// Causal attention of `queries` consecutive tokens of ONE sequence at absolute positions first_position + i.
// Token i sees positions 0 .. first_position + i. Softmax in f32: every page has its own, joined in order to that of the pages before.
struct AttentionArgs {
  const float* q = nullptr;  // [queries, heads, head_dim] f32, stride q_stride floats per query, rotated already
  std::int64_t q_stride = 0;
  float* out = nullptr;  // [queries, heads, head_dim] f32, stride out_stride
  std::int64_t out_stride = 0;
  const KvBlock* blocks = nullptr;  // [ceil((first_position + queries) / page_tokens)] pages of this layer
  KvType k_type = KvType::f16, v_type = KvType::f16;
  const float* key_means = nullptr;  // [pages][kv_heads, head_dim], stride key_means_stride: what was taken off every key of a page; null: nothing
  std::int64_t key_means_stride = 0;
  std::int64_t page_tokens = 0;  // a multiple of kKvGroup, at most kKvPageTokens
  std::int64_t queries = 0;
  std::int64_t first_position = 0;
  int heads = 0;
  int kv_heads = 0;  // heads % kv_heads == 0; head h reads kv head h / (heads / kv_heads)
  int head_dim = 0;
  float scale = 0;  // 1 / sqrt(head_dim) normally
  // Where memory does not hold all blocks at once, a walk is cut into calls over consecutive ranges of keys, each a multiple of page_tokens
  // up to the last: only blocks of [key_begin, key_end) are read, and what a call leaves in `carry` the next goes on from, to the same
  // bits as one call. `out` is written by the call whose key_end covers every query; one call over all keys needs no carry.
  std::int64_t key_begin = 0, key_end = INT64_MAX;
  void* carry = nullptr;  // [queries, heads] of attention_carry_bytes(head_dim), layout private to the table
  // Where several threads share the keys of one sequence: a call leaves the softmax of every page of its range alone here, and one call of
  // attention_merge over all of the ranges joins them, to the same bits as one walk. Null: joined as it goes.
  void* page_states = nullptr;  // [pages of the range][queries, heads] of attention_carry_bytes(head_dim)
  void* scratch = nullptr;      // attention_scratch_bytes() per calling thread, 64-byte aligned
};

// A running maximum, sum and head_dim weighted values, as f64 at most (the reference).
constexpr std::size_t attention_carry_bytes(int head_dim) { return static_cast<std::size_t>(head_dim + 2) * 8; }

// The gated delta rule of one value head over consecutive tokens of ONE sequence (Yang et al. 2024, "Gated Delta Networks"):
//   S' = decay_t S,  d_t = beta_t (v_t - S'^T k_t),  S = S' + k_t d_t^T,  out_t = S^T q_t
// The state S is read and written; what the tokens before left in it is all that this head knows of them.
struct DeltaArgs {
  float* state = nullptr;    // [key_dim, value_dim] f32
  const float* q = nullptr;  // [tokens, key_dim] normalised and scaled, stride qkv_stride floats
  const float* k = nullptr;  // [tokens, key_dim] normalised, same stride
  const float* v = nullptr;  // [tokens, value_dim], same stride
  std::int64_t qkv_stride = 0;
  const float* decay = nullptr;  // [tokens] in (0, 1], stride gate_stride
  const float* beta = nullptr;   // [tokens] in (0, 1), stride gate_stride
  std::int64_t gate_stride = 0;
  float* out = nullptr;  // [tokens, value_dim], stride out_stride
  std::int64_t out_stride = 0;
  std::int64_t tokens = 0;
  int key_dim = 0;
  int value_dim = 0;  // at most kMaxDeltaDim
};
inline constexpr int kMaxDeltaDim = 256;

enum class RopeKind { interleaved /* pairs (2i, 2i+1): `llama` GGUFs */, neox /* pairs (i, i + n/2): qwen2, qwen3 */ };

struct Ops {
  const char* name;  // "reference", "avx2", "avx512", "amx"

  // --- weights -------------------------------------------------------------------------------------------------------------
  // Bytes of W[rows, cols] after packing; 0 when this table does not take the type. cols % block_elements == 0.
  std::size_t (*packed_bytes)(Type type, std::int64_t rows, std::int64_t cols);
  // Packs rows [begin, end) of GGUF-layout data (row-major blocks). Rows come in groups of `pack_rows`: begin and end are multiples
  // of it (end may be `rows`). May be called from several threads on disjoint ranges.
  void (*pack)(Type type, const void* gguf, std::int64_t rows, std::int64_t cols, void* packed, std::int64_t begin, std::int64_t end);
  std::int64_t pack_rows;  // row granularity of pack() and matmul() ranges (for example 16)

  // --- matmul: out[t, r] = sum_c W[r, c] * x[t, c] ------------------------------------------------------------------------------
  std::size_t (*activation_bytes)(Type weight_type, std::int64_t tokens, std::int64_t cols);
  // Prepares tokens [begin, end) of x[tokens, cols] f32 (row stride x_stride floats).
  void (*prepare)(Type weight_type, const float* x, std::int64_t x_stride, const Activations& out, std::int64_t begin, std::int64_t end);
  // Computes rows [row_begin, row_end) for all tokens; out[t * out_stride + r] f32. Chooses GEMV or GEMM by tokens itself.
  void (*matmul)(const Weights& w, const Activations& x, float* out, std::int64_t out_stride, std::int64_t row_begin, std::int64_t row_end);

  // --- rows and vectors ----------------------------------------------------------------------------------------------------
  void (*dequantize_row)(Type type, const void* gguf_row, float* out, std::int64_t n);           // GGUF layout, exact
  void (*rms_norm)(const float* x, const float* weight, float eps, float* out, std::int64_t n);  // out may be x
  void (*add)(float* x, const float* y, std::int64_t n);                                         // x += y
  void (*silu_mul)(float* gate, const float* up, std::int64_t n);                                // gate = silu(gate) * up
  void (*add_scaled)(float* x, const float* y, float scale, std::int64_t n);                     // x += scale * y
  void (*sigmoid_mul)(float* x, const float* gate, std::int64_t n);                              // x *= sigmoid(gate)
  // Depthwise causal convolution at one token, then SiLU: out[c] = silu(sum_j taps[j][c] * rows[j][c]); rows[kernel - 1] is the token itself.
  void (*conv_silu)(const float* taps, const float* const* rows, int kernel, float* out, std::int64_t n);
  // Rotates the first rope_dims of every head of x[heads, head_dim] by the angles of one position:
  // cos_sin[rope_dims / 2][2] f32, computed by the caller in double precision.
  void (*rope)(RopeKind kind, float* x, int heads, int head_dim, int rope_dims, const float* cos_sin);
  void (*to_f16)(const float* x, std::uint16_t* out, std::int64_t n);  // round to nearest even
  void (*from_f16)(const std::uint16_t* x, float* out, std::int64_t n);

  // --- attention -----------------------------------------------------------------------------------------------------------
  // x[n], n % 64 == 0: every 64 numbers become H x / 8, H the Hadamard matrix in natural order. Its own inverse, and products of two
  // rotated vectors are those of the vectors; an outlier is spread over its block, so that it does not cost the others their precision.
  void (*hadamard)(float* x, std::int64_t n);
  // Writes x[n] as one row of that type: kv_row_bytes(type, n) bytes. The same bits in every table.
  void (*store_kv)(KvType type, const float* x, void* row, std::int64_t n);
  // The same as key `slot` of a group of 16. Touches no byte of the other 15.
  void (*store_key)(KvType type, const float* x, void* group, int slot, std::int64_t n);
  std::size_t (*attention_scratch_bytes)(int heads, int kv_heads, int head_dim, std::int64_t page_tokens);
  // Computes kv heads [begin, end) for all queries: every query head of a kv head is done while its keys are in cache.
  void (*attention)(const AttentionArgs& args, int kv_head_begin, int kv_head_end);
  void (*attention_merge)(const AttentionArgs& args, int kv_head_begin, int kv_head_end);  // of page_states; reads no page

  // --- recurrence ----------------------------------------------------------------------------------------------------------
  void (*delta_rule)(const DeltaArgs& args);

  // --- logits --------------------------------------------------------------------------------------------------------------
  // log(sum(exp(x))) over n values, f64 accumulation: log p(i) = x[i] - log_sum_exp.
  double (*log_sum_exp)(const float* x, std::int64_t n);
  std::int64_t (*argmax)(const float* x, std::int64_t n);  // lowest index wins a tie
};

const Ops& reference();
// Null when this machine (or this build) cannot run the named table: "avx2", "avx512", "amx".
const Ops* find_cpu(const char* name);
const Ops& best_cpu();

}  // namespace codicil::kernels
