// How fast this machine is at what an engine does: short measurements with the kernels themselves, kept with their date.
//
// Owns: the measurements and the file that keeps them. Leaves to the plan what a model needs of each.
// Each takes some tens of milliseconds, the best of a few tries (a disturbed one says nothing of the machine), and is taken when it is first
// asked for; kept for kKeptDays in FOLDER/machine.speeds, a text of lines "name<TAB>rate" under a head with version, day and processor. A head
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

  double one_token(const kernels::Ops& ops, kernels::Type type);                         // packed bytes of weights a second
  double many_tokens(const kernels::Ops& ops, kernels::Type type, std::int64_t tokens);  // multiply-adds a second, `tokens` at once for each thread
  // Decode: bytes of keys and values a second. `group` query heads share a kv head.
  double attention_one(const kernels::Ops& ops, kernels::KvType k, kernels::KvType v, int head_dim, int group);
  double attention_many(const kernels::Ops& ops, kernels::KvType k, kernels::KvType v, int head_dim, int group);  // multiply-adds a second
  double recurrence(const kernels::Ops& ops, int dim, std::int64_t tokens);                                       // tokens of one head a second
  double barrier();                                                                                               // meetings of all threads a second
  double disk(const std::string& path);            // bytes a second, unbuffered, many requests at once
  const std::string& day() const { return day_; }  // "2026-11-30", of the oldest measurement

  static constexpr int kKeptDays = 30;

 private:
  double get(const std::string& name, const std::function<double()>& measure);
  void load();
  ThreadPool& pool();

  const int threads_;
  const std::string folder_;
  std::string day_, processor_;
  std::map<std::string, double> rates_;
  bool changed_ = false;
  std::unique_ptr<ThreadPool> pool_;  // made when something is measured
};

}  // namespace codicil::device
