// Live keys and values that memory does not hold: the slices of one layer come from SSD while the layer before it computes.
//
// Owns: a ring of slices, the order in which they come, who waits. Attention reads its pages in order anyway and keeps a running softmax, so a walk
// over more pages than the ring has is cut into spans: a span's slices are read, attention goes over them for every sequence of the step, the
// ring takes the next. Sequences that share a page at the same place (forks, questions to one document) share its slice.
// Leaves to RamStore which pages are on SSD, to native/model what is computed.
// Rules that must stay true: a slice is given only when its checksum agreed; one that did not makes its page damaged, and the step's results of
// every run that holds it are void (damaged_page), never used; spans cover the pages of a run in order, each once.
// Threads: the caller's one, the one that runs the step; reads end on the reader's.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <span>
#include <unordered_set>
#include <vector>

#include "native/base/file.h"
#include "native/kv/kv.h"
#include "native/kv/page_reader.h"

namespace codicil::kv {

class DiskStore;

class LayerStream {
 public:
  struct Part {
    std::int32_t run;
    std::int64_t begin, end;  // pages of the run
  };

  static Result<std::unique_ptr<LayerStream>> create(DiskStore& disk, PageReader& reader, const PageShape& shape, std::uint64_t ring_bytes);

  // Lays out the walk of one step and begins to read; runs[i] are the pins of one sequence's pages. The pins live until end().
  void begin(std::span<const std::span<const Pin>> runs);
  std::int64_t spans() const { return static_cast<std::int64_t>(spans_.size()); }
  std::span<const Part> parts(std::int64_t span) const { return spans_[static_cast<std::size_t>(span)].parts; }
  // Waits for a span of a layer; layers and spans are asked for in order, each once, and released before the next.
  void acquire(int layer, std::int64_t span);
  // The acquired layer's slice of a page of the acquired span that is on SSD.
  const std::byte* slice(std::int32_t run, std::int64_t page) const;
  void release();
  // Waits for what is under way and asks for nothing more. A step may be given up anywhere; a Walk ends it.
  void end();
  // After end(): the first page of a run that could not be read whole; -1: none.
  std::int64_t damaged_page(std::int32_t run) const;

  std::uint64_t ring_bytes() const { return ring_.size(); }
  double waited_seconds() const;

 private:
  struct Span {
    std::vector<Part> parts;
    std::vector<const Page*> pages;  // those on SSD, each once; its index is its slot
  };
  LayerStream(DiskStore& disk, PageReader& reader, const PageShape& shape) : disk_(disk), reader_(reader), shape_(shape) {}
  void plan();
  void close_span();
  void place(std::int32_t run, std::int64_t page, const Page* found);
  void read_ahead();
  std::byte* slot(std::int64_t sequence, std::int32_t index);

  DiskStore& disk_;
  PageReader& reader_;
  const PageShape shape_;
  AlignedBuffer ring_;         // [kGroups, capacity_, layer_bytes]
  std::int64_t capacity_ = 1;  // slices of a span

  std::vector<std::vector<const Page*>> runs_;    // [runs][pages], null: in RAM
  std::vector<std::vector<std::int32_t>> slots_;  // [runs][pages], in the page's span; -1: in RAM
  std::vector<std::int64_t> done_, taken_;        // plan(): pages of a run in closed spans, and with the open one
  std::vector<Span> spans_;
  std::int64_t current_ = 0, next_ = 0;  // acquired, and not yet asked for: layer * spans + span

  mutable std::mutex mutex_;
  std::condition_variable arrived_;
  std::vector<std::int64_t> missing_;        // guarded: [kGroups] slices under way
  std::unordered_set<const Page*> damaged_;  // guarded
  double waited_seconds_ = 0;                // guarded
};

}  // namespace codicil::kv
