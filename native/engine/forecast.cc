// Engine::plan, the speeds. A token's time is the sum of what it needs, each need over the rate that this machine was measured to have; what
// is read from the disk goes on beside the arithmetic that does not wait for it.
//
// Owns: needs of a token (bytes of weights, multiply-adds, keys and values, states, meetings of the threads, bytes from the disk).
// Leaves rates to device/speeds.h and geometry to plan.cc.
// Rule that must stay true: no figure here is of a particular model or machine.
#include "native/engine/forecast.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numeric>

#include "native/model/expert_cache.h"
#include "native/model/forward.h"

namespace codicil {

namespace {

// Regions of the pool in a layer: products of the mixer, the mixer, its output, two of the MLP, and the norms between.
constexpr double kMeetingsPerLayer = 8;
constexpr std::int64_t kTile = 64, kThinTile = 16;  // tokens of a thread's tile; of an expert's share of a short batch

struct Need {
  std::string text;
  double seconds = 0;
};

std::string in_units(double value, const char* unit) {
  const char* prefixes[] = {"", "k", "M", "G", "T"};
  int prefix = 0;
  for (; value >= 1000 && prefix < 4; ++prefix) value /= 1000;
  char text[48];
  std::snprintf(text, sizeof text, value < 10 ? "%.1f %s%s" : "%.0f %s%s", value, prefixes[prefix], unit);
  return text;
}

std::string in_ms(double seconds) {
  char text[32];
  std::snprintf(text, sizeof text, seconds < 0.01 ? "%.2f ms" : "%.0f ms", seconds * 1e3);
  return text;
}

std::string sentence(const char* what, double amount, const char* unit, double seconds) {
  return std::string(what) + ": " + in_units(amount, unit) + " a token at " + in_units(amount / std::max(seconds, 1e-12), unit) + "/s";
}

class Forecaster {
 public:
  Forecaster(Blueprint& b, device::Speeds& speeds, const std::vector<float>& heats) : b_(b), c_(b.config), speeds_(speeds), list_(b.weights()) {
    streams_experts_ = b.residence.way == model::Residence::Way::streamed_experts;
    streams_layers_ = b.residence.way == model::Residence::Way::streamed_layers;
    hit_share_ = streams_experts_ ? share_in_cache(heats) : 1;
    if (streams_experts_ || streams_layers_) disk_ = speeds.disk(b.gguf.parts()[0]);
    kv_ = model::kv_layout(model::Forward::page_shape(c_, 0, b.kv_format));
  }

  void run() {
    Plan& plan = b_.plan;
    plan.expert_hit_share = hit_share_;
    plan.decode = decode(0);
    plan.decode_full = decode(plan.context_tokens);
    plan.prefill = prefill();
    plan.streamed_bytes_per_token = streamed_by_one();
    plan.measured_on = speeds_.day();
    if (plan.fits) plan.bottleneck = plan.decode.bottleneck;
  }

 private:
  // Without heats every expert is as likely as any other.
  double share_in_cache(const std::vector<float>& heats) const {
    const std::size_t all = list_.layers.size() * static_cast<std::size_t>(list_.expert_count);
    const auto slots = std::min(all, static_cast<std::size_t>(b_.residence.cache_bytes / model::ExpertCache::slot_bytes(list_)) -
                                         static_cast<std::size_t>(model::ExpertCache::kTransient));
    if (heats.size() != all) return static_cast<double>(slots) / static_cast<double>(all);
    std::vector<float> sorted = heats;
    std::sort(sorted.begin(), sorted.end(), std::greater<>());
    const double sum = std::accumulate(sorted.begin(), sorted.end(), 0.0);
    return sum > 0 ? std::accumulate(sorted.begin(), sorted.begin() + static_cast<std::ptrdiff_t>(slots), 0.0) / sum
                   : static_cast<double>(slots) / static_cast<double>(all);
  }

  template <typename Fn>
  void each_matrix(Fn&& fn) const {
    const auto block = [&](const model::WeightBlock& of) {
      for (const model::WeightItem& item : of.items)
        if (item.ops != nullptr) fn(item, false);
      for (const model::WeightItem& item : of.experts) fn(item, true);
    };
    // A head behind the layers is read for guesses, which pay for themselves.
    for (std::int64_t layer = 0; layer < c_.layers; ++layer) block(list_.layers[static_cast<std::size_t>(layer)]);
  }
  static double bytes_of(const model::WeightItem& item) {
    return static_cast<double>(item.ops->packed_bytes(item.tensor->type->type, item.rows, item.cols));
  }
  static double elements_of(const model::WeightItem& item) { return static_cast<double>(item.rows) * static_cast<double>(item.cols); }

  double expert_file_bytes() const {  // of one layer's one expert
    double bytes = 0;
    for (const model::WeightItem& item : list_.layers[0].experts)
      bytes += static_cast<double>(item.tensor->bytes) / static_cast<double>(list_.expert_count);
    return bytes;
  }
  double layer_file_bytes() const {
    double bytes = 0;
    for (const std::int64_t layer : b_.residence.layers)
      for (const model::WeightItem& item : list_.layers[static_cast<std::size_t>(layer)].items) bytes += static_cast<double>(item.tensor->bytes);
    return bytes;
  }
  std::int64_t missing_reads() const {  // of one layer, for one token
    std::int64_t reads = 0;
    for (const model::WeightItem& item : list_.layers[0].experts) reads += model::TensorParts(*item.tensor).per_matrix();
    const double together = static_cast<double>(c_.experts.used * reads) * (1 - hit_share_);
    return std::int64_t{1} << std::max(0L, std::lround(std::log2(std::max(together, 1.0))));  // so that most plans share one measurement
  }
  // Bytes of the file a second, of a layer that is read again and again.
  double streamed_packing() {
    double bytes = 0, seconds = 0;
    const auto& items = streams_experts_ ? list_.layers[0].experts : list_.layers[static_cast<std::size_t>(b_.residence.layers[0])].items;
    for (const model::WeightItem& item : items) {
      if (item.ops == nullptr) continue;
      bytes += static_cast<double>(item.tensor->bytes);
      seconds += static_cast<double>(item.tensor->bytes) / speeds_.packing(*item.ops, item.tensor->type->type);
    }
    return bytes / std::max(seconds, 1e-12);
  }
  double streamed_by_one() const {
    if (streams_layers_) return layer_file_bytes();
    if (!streams_experts_) return 0;
    return static_cast<double>(c_.experts.used * c_.layers) * (1 - hit_share_) * expert_file_bytes();
  }

  PlannedSpeed decode(std::int64_t depth) {
    double trunk_bytes = 0, trunk = 0, expert_bytes = 0, experts = 0;
    const auto add = [&](const model::WeightItem& item, bool expert) {
      const double share = expert ? static_cast<double>(c_.experts.used) : 1, bytes = share * bytes_of(item);
      (expert ? expert_bytes : trunk_bytes) += bytes;
      (expert ? experts : trunk) += bytes / speeds_.one_token(*item.ops, item.tensor->type->type, static_cast<double>(b_.plan.weight_bytes));
    };
    each_matrix(add);
    for (const model::WeightItem& item : list_.outside.items)
      if (item.ops != nullptr) add(item, false);
    const double kv_bytes = static_cast<double>(depth * attention_layers() * c_.kv_heads) * kv_row_bytes();
    const double kv = depth == 0 ? 0 : kv_bytes / speeds_.attention_one(*b_.ops, kv_.k_type, kv_.v_type, head_dim(), group(), kv_bytes);
    const double other = recurrent_seconds(1) + kMeetingsPerLayer * static_cast<double>(c_.layers) / speeds_.barrier();
    std::vector<Need> needs = {{sentence("Reading weights", trunk_bytes + expert_bytes, "B", trunk + experts), trunk + experts},
                               {sentence("Keys and values", kv_bytes, "B", kv), kv},
                               {"States and meetings of the threads: " + in_ms(other) + " a token", other}};
    double seconds = trunk + experts + kv + other;
    if (disk_ > 0) {
      // A layer's missing experts are read together, and the next layer's are not known before these were computed with.
      const double disk = streams_experts_ ? speeds_.disk(b_.gguf.parts()[0], missing_reads()) : disk_;
      const double bytes = streamed_by_one(), read = bytes / disk;
      const double packing = bytes / streamed_packing();
      // Experts in memory are computed while the others come; a layer while the next comes. What came is packed by the same processors.
      const double beside = packing + (streams_experts_ ? experts : seconds);
      seconds += packing + std::max(0.0, read - beside);
      needs.push_back({sentence("Packing what was read", bytes, "B", packing), packing});
      needs.push_back({sentence(streams_experts_ ? "Experts from the disk" : "Layers from the disk", bytes, "B", read), read});
    }
    return speed(seconds, needs);
  }

  PlannedSpeed prefill() {
    const std::int64_t batch = std::max<std::int64_t>(1, b_.batch_tokens);
    double macs = 0, seconds = 0, experts = 0;
    const double per_expert = c_.experts.count > 0 ? static_cast<double>(batch * c_.experts.used) / static_cast<double>(c_.experts.count) : 0;
    each_matrix([&](const model::WeightItem& item, bool expert) {
      const double share = expert ? static_cast<double>(c_.experts.used) : 1, work = share * elements_of(item);
      const double time = work / speeds_.many_tokens(*item.ops, item.tensor->type->type, expert && per_expert < kTile ? kThinTile : kTile);
      macs += work;
      seconds += time;
      if (expert) experts += time;
    });
    // On the average a token of the first batch sees half of it.
    const double attention_macs = static_cast<double>(attention_layers() * c_.heads * batch) * static_cast<double>(c_.head_dim);
    const double attention = attention_macs / speeds_.attention_many(*b_.ops, kv_.k_type, kv_.v_type, head_dim(), group());
    const double states = recurrent_seconds(kTile);
    std::vector<Need> needs = {{sentence("Arithmetic", macs, "MAC", seconds), seconds},
                               {sentence("Attention", attention_macs, "MAC", attention), attention},
                               {"Recurrent states: " + in_ms(states) + " a token", states}};
    const double computed = seconds;
    seconds += attention + states;
    if (disk_ > 0) {
      double bytes = layer_file_bytes();
      if (streams_experts_) {
        const auto count = static_cast<double>(c_.experts.count);
        const double chosen = count * (1 - std::pow(1 - static_cast<double>(c_.experts.used) / count, static_cast<double>(batch)));
        // A prompt uses all experts alike, hot or cold: what is in memory is the share of the slots.
        bytes = static_cast<double>(c_.layers) * chosen * (1 - share_in_cache({})) * expert_file_bytes();
      }
      bytes /= static_cast<double>(batch);
      const double read = bytes / disk_, packing = bytes / streamed_packing();
      seconds += packing + std::max(0.0, read - packing - (streams_experts_ ? experts : computed));
      needs.push_back({sentence("Packing what was read", bytes, "B", packing), packing});
      needs.push_back({sentence("Weights from the disk", bytes, "B", read), read});
    }
    return speed(seconds, needs);
  }

  double recurrent_seconds(std::int64_t tokens) {
    if (!c_.is_recurrent()) return 0;
    const auto layers = static_cast<double>(c_.delta_layers());
    return layers * static_cast<double>(c_.delta.value_heads) / speeds_.recurrence(*b_.ops, static_cast<int>(c_.delta.head_dim), tokens);
  }
  static PlannedSpeed speed(double seconds, const std::vector<Need>& needs) {
    const auto most = std::max_element(needs.begin(), needs.end(), [](const Need& x, const Need& y) { return x.seconds < y.seconds; });
    return {1 / std::max(seconds, 1e-9), most->text + "."};
  }
  double kv_row_bytes() const {
    return static_cast<double>(kernels::kv_row_bytes(kv_.k_type, c_.head_dim) + kernels::kv_row_bytes(kv_.v_type, c_.head_dim));
  }
  std::int64_t attention_layers() const { return c_.attention_layers() - c_.mtp_layers; }
  int head_dim() const { return static_cast<int>(c_.head_dim); }
  int group() const { return static_cast<int>(c_.heads / c_.kv_heads); }

  Blueprint& b_;
  const model::ModelConfig& c_;
  device::Speeds& speeds_;
  const model::WeightList list_;
  bool streams_experts_ = false, streams_layers_ = false;
  double hit_share_ = 1, disk_ = 0;
  model::KvLayout kv_;
};

}  // namespace

void forecast(Blueprint& blueprint, device::Speeds& speeds, const std::vector<float>& heats) { Forecaster(blueprint, speeds, heats).run(); }

}  // namespace codicil
