// The forward pass: tokens of many sequences in, hidden states and logits out, keys and values written to their pages.
//
// Owns: scratch memory, the split of work over the pool, rotary angles, attention over pages. What a layer computes is straight-line
// code in llama.cc and qwen2.cc. Leaves to native/engine: which tokens make a batch, pages, sampling.
// Rules that must stay true: nothing is allocated in a step (angles and page lists grow by doubling); a token's result is the same bit
// for bit whatever shares the batch and however work is split, because every op is independent by token, row and head.
#pragma once

#include <array>
#include <memory>
#include <span>
#include <vector>

#include "native/base/threads.h"
#include "native/kv/kv.h"
#include "native/model/config.h"
#include "native/model/weights.h"

namespace codicil::model {

// Consecutive tokens of one sequence inside a batch.
struct Run {
  std::int64_t first_token = 0;  // index in the batch
  std::int64_t count = 0;
  std::int64_t first_position = 0;  // in the sequence
  std::vector<std::byte*> pages;    // [ceil((first_position + count) / kPageTokens)]; those of the new positions are written
};

struct Batch {
  std::vector<Token> tokens;         // [tokens]
  std::vector<Run> runs;             // in order; together they cover all tokens
  std::vector<std::int64_t> wanted;  // tokens whose hidden state is wanted, ascending
};

// One thread's or the whole pool's view of a range of tokens while a layer is computed. With `pool` null it is one tile of a large
// batch, done on this thread from norm to norm while its activations stay in the second-level cache; with a pool it is the whole (small) batch,
// every matrix split by rows.
class Lane {
 public:
  struct Product {
    const Matrix& matrix;
    float* out;                   // [tokens, matrix.rows]
    const float* bias = nullptr;  // [matrix.rows]; null: none
  };

  // Element-wise work over the lane's tokens: fn(token), token counted from the lane's first.
  template <typename F>
  void each_token(F&& fn) const {
    // Below some 8 tokens a dispatch costs more than what the others could take over.
    if (pool == nullptr || tokens < 8) {
      for (std::int64_t t = 0; t < tokens; ++t) fn(t);
    } else {
      pool->parallel_for(0, tokens, 1, [&](std::int64_t begin, std::int64_t end, int) {
        for (std::int64_t t = begin; t < end; ++t) fn(t);
      });
    }
  }
  // All products of one input, in one parallel region. input[tokens, cols], stride cols.
  void multiply(std::initializer_list<Product> products, const float* input, std::int64_t cols) const;

  const kernels::Ops& ops;
  ThreadPool* pool;
  std::int64_t first;  // index in the batch of the lane's first token
  std::int64_t tokens;
  float* x;                               // [tokens, embedding] residual stream
  float* h;                               // [tokens, max(embedding, ...)] normed input
  float* q;                               // [tokens, heads * head_dim], kept until attention
  float* k;                               // [tokens, kv_heads * head_dim]
  float* v;                               // [tokens, kv_heads * head_dim]
  float* attended;                        // [tokens, heads * head_dim]
  float* gate;                            // [tokens, ffn]
  float* up;                              // [tokens, ffn]
  std::array<std::byte*, 3> activations;  // one for each weight type that meets in one multiply()
  const float* const* angles;             // [tokens] -> [rope_dims / 2][2]
  std::uint16_t* const* k_rows;           // [tokens] -> k of kv head 0 of this layer at the token's place; heads kPageTokens * head_dim apart
  std::uint16_t* const* v_rows;           // [tokens] -> v, same
};

// What differs between architectures.
struct LayerCode {
  void (*before_attention)(const ModelConfig&, const LayerWeights&, const Lane&);  // x -> q, keys and values in pages
  void (*after_attention)(const ModelConfig&, const LayerWeights&, const Lane&);   // attended -> x
};
LayerCode llama_layer();
LayerCode qwen2_layer();
// Rounds the lane's k and v to f16 and puts them where attention reads them.
void store_keys_and_values(const ModelConfig& config, const Lane& lane);

class Forward {
 public:
  static Result<std::unique_ptr<Forward>> create(const ModelConfig& config, const ModelWeights& weights, const kernels::Ops& ops, ThreadPool& pool,
                                                 std::int64_t max_tokens);
  static std::uint64_t planned_scratch_bytes(const ModelConfig& config, int threads, std::int64_t max_tokens, std::int64_t context_tokens);

  // hidden[wanted, embedding]: the last layer's output after the last norm.
  void run(const Batch& batch, float* hidden);
  // out[rows, vocab] from hidden[rows, embedding]; rows <= kLogitRows.
  void logits(const float* hidden, std::int64_t rows, float* out);
  static constexpr std::int64_t kLogitRows = 64;  // bounds the logits buffer: 64 x 152,000 f32 are 39 MB
  std::uint64_t scratch_bytes() const;
  kv::PageShape page_shape(std::uint64_t fingerprint) const;

 private:
  Forward(const ModelConfig& config, const ModelWeights& weights, const kernels::Ops& ops, ThreadPool& pool, std::int64_t max_tokens);
  Status allocate();
  void locate(const Batch& batch);  // angles and page rows of every token
  void point_rows(std::int64_t layer, std::int64_t begin, std::int64_t end);
  void layers_by_tiles(const Batch& batch, std::int64_t tile);
  void layers_by_rows(const Batch& batch);
  void attend(const Batch& batch, std::int64_t layer);
  void attend_unit(const Run& run, std::int64_t layer, std::int64_t first, std::int64_t count, int kv_head, int head_begin, int head_end, int thread);
  void finish(const Batch& batch, float* hidden);
  Lane lane(ThreadPool* pool, std::int64_t first, std::int64_t tokens, int thread);

  const ModelConfig& config_;
  const ModelWeights& weights_;
  const kernels::Ops& ops_;
  ThreadPool& pool_;
  const std::int64_t max_tokens_;
  const LayerCode code_;
  std::int64_t tile_rows_ = 0;        // tokens that one thread's tile buffers hold
  std::size_t activation_bytes_ = 0;  // of one slot
  std::size_t layer_bytes_ = 0;

  AlignedBuffer x_, q_, attended_;                     // [max_tokens, ...]
  std::vector<AlignedBuffer> tiles_;                   // [threads] h, k, v, gate, up and activation slots; thread 0's holds a whole small batch
  std::vector<AlignedBuffer> attention_scratch_;       // [threads]
  std::vector<std::vector<kernels::KvBlock>> blocks_;  // [threads][pages]
  std::vector<float> angle_table_;                     // [positions, rope_dims / 2, 2]
  std::vector<const float*> angles_;                   // [max_tokens]
  std::vector<std::byte*> token_page_;                 // [max_tokens] page that the token's keys go to
  std::vector<std::int32_t> token_slot_;               // [max_tokens] place in that page
  std::vector<std::uint16_t*> k_rows_, v_rows_;        // [max_tokens], of the layer that the token's thread is at
  struct Unit {
    std::int32_t run, kv_head, head_begin, head_end;
    std::int64_t first, count;
  };
  std::vector<Unit> units_;  // attention work of this batch
  void plan_units(const Batch& batch);
};

}  // namespace codicil::model
