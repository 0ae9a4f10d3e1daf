// The forward pass: tokens of many sequences in, hidden states and logits out; keys, values and recurrent states written where they belong.
//
// Owns: scratch memory, the order of the stages of a layer, the split of work over the pool, rotary angles. What a layer computes is
// straight-line code in llama.cc, qwen2.cc, qwen3.cc and qwen35.cc, of the parts in lane.h; where tokens of a sequence meet is in
// attention.cc and recurrence.cc, where tokens meet experts in experts.cc, the head that guesses in mtp.cc. Leaves to native/engine: which tokens make a batch, pages, sampling.
// Rules that must stay true: nothing is allocated in a step (page lists grow by doubling); a token's result is the same bit
// for bit whatever shares the batch and however work is split, because every op is independent by token, row and head.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "native/base/threads.h"
#include "native/kv/kv.h"
#include "native/model/config.h"
#include "native/model/lane.h"
#include "native/model/weights.h"

namespace codicil::model {

// Consecutive tokens of one sequence inside a batch.
struct Run {
  std::int64_t first_token = 0;  // index in the batch
  std::int64_t count = 0;
  std::int64_t first_position = 0;  // in the sequence
  std::vector<std::byte*> pages;    // [ceil((first_position + count) / kPageTokens)]; those of the new positions are written; null: on SSD
  float* recurrent = nullptr;       // [ModelConfig::recurrent_floats()] state before first_position, then after the run; null: the model has none
  // The last `drafted` tokens are guesses: the recurrent state does not take them in, draft_log has what take_over() needs for it.
  std::int64_t drafted = 0;
  float* draft_log = nullptr;  // [draft_log_floats(drafted)]
};

struct Batch {
  std::vector<Token> tokens;                // [tokens]
  std::vector<Run> runs;                    // in order; together they cover all tokens
  std::vector<std::int64_t> wanted;         // tokens whose hidden state is wanted, ascending
  kv::LayerStream* stream = nullptr;        // begun for these runs, in this order; null: all pages are in RAM
  const std::atomic<bool>* stop = nullptr;  // once set, what is left is not computed; null: never
};

class Forward {
 public:
  static Result<std::unique_ptr<Forward>> create(const ModelConfig& config, const ModelWeights& weights, const kernels::Ops& ops, ThreadPool& pool,
                                                 std::int64_t max_tokens, kv::Format format = kv::Format::f16);
  // `activation_bytes`: what the widest product's input takes, prepared, for that many tokens.
  static std::uint64_t planned_scratch_bytes(const ModelConfig& config, int threads, std::int64_t max_tokens,
                                             const std::function<std::size_t(std::int64_t)>& activation_bytes);

  // hidden[wanted, embedding]: the last layer's output after the last norm. io_failed, model_invalid: of weights that are read while the model
  // runs; cancelled: the batch's stop was set; what was written is then worth nothing.
  // between_layers is called on this thread after every layer; nothing of the batch may change meanwhile.
  Status run(const Batch& batch, float* hidden, const std::function<void()>& between_layers = {});
  // Brings a recurrent state over the first `accepted` of a run's `drafted` guesses: the bits that it would have had they been no guesses.
  void take_over(const float* draft_log, std::int64_t drafted, std::int64_t accepted, float* recurrent);
  std::int64_t draft_log_floats(std::int64_t drafted) const;
  // What the model's head guesses to follow `token`, which stands at at.first_position and was not read yet; at.pages reach to the last guess,
  // at.recurrent is that of the tokens before. Nothing of it is changed but keys of the head at places that the reading of those tokens writes.
  // Guesses are ids below guessed_ids(); logits_row has that many, then those of the last guess.
  Status guess(const Run& at, Token token, std::int64_t count, std::vector<Token>& guesses, float* logits_row);
  std::int64_t guessed_ids() const;
  std::int64_t least_tile_tokens() const;  // a batch of fewer tokens goes by rows
  // out[rows, vocab] from hidden[rows, embedding]; rows <= kLogitRows.
  void logits(const float* hidden, std::int64_t rows, float* out);
  static constexpr std::int64_t kLogitRows = 64;  // bounds the logits buffer: 64 x 152,000 f32 are 39 MB
  std::uint64_t scratch_bytes() const;
  // The format is part of the fingerprint: pages of two formats never meet.
  static kv::PageShape page_shape(const ModelConfig& config, std::uint64_t fingerprint, kv::Format format = kv::Format::f16);

 private:
  struct Unit {  // of attention: queries [first, first + count) of a run, all query heads of a kv head, pages [page_begin, page_end)
    std::int32_t run, kv_head;
    std::int64_t first, count, page_begin, page_end;
    std::int32_t cut;  // index in cuts_ when it is one of several parts; -1: all of its keys
    std::int64_t work() const { return count * (page_end - page_begin); }
  };
  struct Cut {            // a kv head of a run whose pages are shared out
    std::int64_t states;  // where its page states begin in page_states_: [pages][count][group] of attention_carry_bytes()
    std::int64_t parts;
  };
  struct ExpertUnit {
    std::int32_t expert;
    std::int64_t first, count;  // rows of sorted_
  };

  Forward(const ModelConfig& config, const ModelWeights& weights, const kernels::Ops& ops, ThreadPool& pool, std::int64_t max_tokens,
          kv::Format format);
  Status allocate();
  void measure_activations();
  Lane lane(ThreadPool* pool, std::int64_t first, std::int64_t tokens, int thread, Mixer mixer);
  Mixer mixer(std::int64_t layer) const { return config_.mixers[static_cast<std::size_t>(layer)]; }
  const LayerCode& code(std::int64_t layer) const { return codes_[static_cast<std::size_t>(mixer(layer))]; }
  const LayerWeights& weights(std::int64_t layer) const { return weights_.layers()[static_cast<std::size_t>(layer)]; }

  void locate(const Batch& batch);  // angles and page rows of every token
  void turn(std::int64_t token, std::int64_t position);
  void extend_key_means(const Batch& batch, std::int64_t layer);  // attention.cc
  void point_rows(std::int64_t layer, std::int64_t begin, std::int64_t end);
  Status layers_by_rows(const Batch& batch, const std::function<void()>& between_layers);
  Status layers_by_tiles(const Batch& batch, std::int64_t tile, const std::function<void()>& between_layers);
  void mix(const Batch& batch, std::int64_t layer);
  void finish(const Batch& batch, float* hidden);
  // Looked at before every piece of work: a layer may take seconds. It stays set, so that run() knows at the end whether a piece was left out.
  bool is_stopped() const { return stop_ != nullptr && stop_->load(std::memory_order_relaxed); }

  void plan_units(const Batch& batch);  // attention.cc
  void attend(const Batch& batch, std::int64_t layer);
  struct Keys {
    std::int64_t first_page, end_page;
    const kv::LayerStream* stream;
  };
  void attend_unit(const Run& run, std::int64_t layer, const Unit& unit, const Keys& keys, int thread);
  void attend_streamed(const Batch& batch, std::int64_t layer);
  std::int64_t state_bytes() const;  // of one page and query

  void recur(const Batch& batch, std::int64_t layer);  // recurrence.cc
  void convolve(const Run& run, const float* before, const float* taps, std::int64_t token);
  void keep_inputs(const float* inputs, std::int64_t count, float* before) const;
  void log_draft(const Run& run, std::int64_t place) const;
  kernels::DeltaArgs delta_args(const float* rows, const float* gates, std::int64_t head) const;

  void read_head(const Batch& batch);  // mtp.cc
  void join_inputs(std::int64_t row, Token token, const float* hidden);
  float* last_hidden(float* recurrent) const { return recurrent + config_.delta_layers() * config_.delta.state_floats(); }

  Status run_experts(std::int64_t tokens, std::int64_t layer);  // experts.cc
  Status stream_experts(std::int64_t layer);
  void sort_by_expert(std::int64_t tokens);
  void run_expert(const ExpertUnit& unit, const MlpWeights& expert, int thread);

  const ModelConfig& config_;
  const ModelWeights& weights_;
  const kernels::Ops& ops_;
  ThreadPool& pool_;
  const std::int64_t max_tokens_;
  const std::atomic<bool>* stop_ = nullptr;  // of the batch
  const std::array<LayerCode, 2> codes_;     // by Mixer
  std::vector<std::int64_t> place_;          // [blocks] index of a layer among those of its mixer: in pages, in the recurrent state
  std::int64_t tile_rows_ = 0;               // tokens that one thread's tile buffers hold
  std::size_t activation_bytes_ = 0;         // of one slot
  const KvLayout kv_;

  AlignedBuffer x_, q_, mixed_;  // [max_tokens, ...]
  // [max_tokens, mixer_out], one for each mixer: a tile may write the gates of its next layer while another still reads those of the last, and the
  // rows of two mixers are of two widths.
  std::array<AlignedBuffer, 2> gate_;
  AlignedBuffer conv_, gates_;                         // [max_tokens, conv_channels], [max_tokens, 2, value_heads]
  AlignedBuffer joined_, guess_hidden_;                // of the head: [max_tokens, 2, embedding], [embedding]
  AlignedBuffer ffn_in_, expert_out_, choice_weight_;  // [max_tokens, embedding], [max_tokens * used, embedding], [max_tokens, used]
  std::vector<std::int32_t> choice_, rows_, sorted_;   // [max_tokens, used]; sorted_: tokens in the order of their experts
  std::vector<std::int64_t> expert_begin_;             // [experts + 1] in sorted_
  std::vector<ExpertUnit> expert_units_;               // by expert, ascending
  std::vector<std::int32_t> wanted_experts_;
  std::vector<AlignedBuffer> tiles_;                   // [threads] scratch of a lane; thread 0's holds a whole small batch
  std::vector<AlignedBuffer> attention_scratch_;       // [threads]
  std::vector<AlignedBuffer> draft_scratch_;           // [threads] one head's state [head_dim, head_dim], then an output row
  std::vector<std::vector<kernels::KvBlock>> blocks_;  // [threads][pages]
  std::vector<float> query_length_, key_length_;       // [delta.head_dim] 1 / head_dim and 1 / sqrt(head_dim): see convolve()
  std::vector<double> frequencies_;                    // [rope_dims / 2]
  std::vector<std::vector<float>> key_means_;          // [layers] of [pages][kv_heads * head_dim], as far as positions went; empty: keys lie whole
  std::vector<const float*> mean_rows_;                // [max_tokens], into those of one layer
  std::vector<std::int64_t> token_page_index_;         // [max_tokens]
  std::vector<float> angle_rows_;                      // [max_tokens, rope_dims / 2, 2]
  std::vector<const float*> angles_;                   // [max_tokens], into angle_rows_
  std::vector<std::byte*> token_page_;                 // [max_tokens] page that the token's keys go to
  std::vector<std::int32_t> token_slot_;               // [max_tokens] place in that page
  std::vector<std::byte*> k_groups_, v_rows_;          // [max_tokens], of the layer that the token's thread is at
  std::vector<Unit> units_;                            // attention work of this batch
  std::vector<Cut> cuts_;
  std::vector<std::byte> page_states_;
  std::unique_ptr<std::atomic<std::int64_t>[]> parts_left_;  // [cuts_]
  std::size_t parts_left_size_ = 0;
  std::vector<std::size_t> run_units_;                    // [runs + 1] where a run's units begin
  std::vector<std::pair<std::size_t, Keys>> span_units_;  // of the span at hand
  AlignedBuffer carry_;  // [max_tokens, heads] of attention_carry_bytes; the system commits it when pages are first streamed
};

}  // namespace codicil::model
