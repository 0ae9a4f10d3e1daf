// How fast this machine is at what an engine does: short measurements with the kernels themselves, kept with their date.
//
// Owns: the measurements and the file that keeps them. Leaves to the plan what a model needs of each.
// Each takes some tens of milliseconds, those over a pass as long as a large model's half a second; it is the best of a few tries (a disturbed one
// says nothing of the machine), and is taken when it is first asked for; kept for kKeptDays in FOLDER/machine.speeds, a text of lines "name<TAB>rate" under a head with version, day and processor. A head
// of another version or processor, or a line that is no number, and all is measured anew.
// Rule that must stay true: rates are of all threads together, by the same tables that run the model.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "kernels/kernels.h"
#include "native/base/threads.h"

namespace codicil::device {

class Speeds {
 public:
  // `folder` empty: kept for the life of the process.
  Speeds(int threads, std::string folder);
  ~Speeds();  // writes what was measured
  Speeds(const Speeds&) = delete;
  Speeds& operator=(const Speeds&) = delete;

  // Packed bytes of weights a second, where a token's pass goes over `bytes` of them.
  double one_token(const kernels::Ops& ops, kernels::Type type, double bytes);
  double many_tokens(const kernels::Ops& ops, kernels::Type type, std::int64_t tokens);  // multiply-adds a second, `tokens` at once for each thread
  double packing(const kernels::Ops& ops, kernels::Type type);  // bytes of the file a second into the order that the kernels want
  // Decode: bytes of keys and values a second, of `bytes` in all. `group` query heads share a kv head.
  double attention_one(const kernels::Ops& ops, kernels::KvType k, kernels::KvType v, int head_dim, int group, double bytes);
  double attention_many(const kernels::Ops& ops, kernels::KvType k, kernels::KvType v, int head_dim, int group);  // multiply-adds a second
  double recurrence(const kernels::Ops& ops, int dim, std::int64_t tokens);                                       // tokens of one head a second
  double barrier();                                                                                               // meetings of all threads a second
  // Bytes a second, unbuffered: many requests at once, always; or `together` of them, and the next ones only when all are there.
  double disk(const std::string& path, std::int64_t together = 0);
  const std::string& day() const { return day_; }  // "2026-11-30", of the oldest measurement

  static constexpr int kKeptDays = 30;

 private:
  double get(const std::string& name, const std::function<double()>& measure);
  void load();
  std::size_t pass_bytes(double bytes) const;
  ThreadPool& pool();

  const int threads_;
  const std::string folder_;
  std::string day_, processor_;
  std::size_t most_pass_ = 0;
  std::map<std::string, double> rates_;
  bool changed_ = false;
  std::unique_ptr<ThreadPool> pool_;  // made when something is measured
};

}  // namespace codicil::device
