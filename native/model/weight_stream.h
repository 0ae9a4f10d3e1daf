// Reading weights: threads that each keep one request at the disk, and write what came, packed, to where it is computed from.
//
// Owns: the threads, their staging memory, the order of requests. Leaves checks of the bytes to tensor_file.h, layouts to weight_list.h, and
// what is read when to those who ask: loading, the expert cache, the layer ring.
// Why threads: an SSD gives its speed only to many requests at once (here 0.6 GB/s to one reader, 1.6 to eight); each thread packs what it
// read while the others read on, and no more than one part per thread is ever held twice.
// Rule that must stay true: a ticket is done only when every byte of its requests is in place, or the first failure is in it.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "native/model/tensor_file.h"
#include "native/model/weight_list.h"

namespace codicil::model {

class WeightStream {
 public:
  // One part of an item, to the block at `base`.
  struct Request {
    const WeightItem* item;
    std::byte* base;
    std::int64_t part;  // of TensorParts(*item->tensor)
  };
  // Requests that are waited for together.
  class Ticket {
   public:
   private:
    friend class WeightStream;
    std::int64_t left_ = 0;
    std::uint64_t bytes_left_ = 0;
    Status status_;
  };

  // `on_done` is called once for every ticket, on the thread that finished it and without the mutex; the ticket may be used again in it. With
  // it nobody waits for tickets here.
  using Done = std::function<void(Ticket&, const Status&)>;
  WeightStream(TensorFile& file, int threads, Done on_done = {});
  ~WeightStream();  // requests that no thread has begun are dropped
  WeightStream(const WeightStream&) = delete;
  WeightStream& operator=(const WeightStream&) = delete;

  // The ticket must stay where it is until it is done.
  void submit(std::span<const Request> requests, Ticket& ticket);
  Status wait(Ticket& ticket);
  // Waits until it is done or `ms` have passed; bytes that are not there yet.
  std::uint64_t wait_for(Ticket& ticket, int ms);
  bool has_failed(const Ticket& ticket) const;  // a part of it, so far
  std::uint64_t bytes_read() const;
  // What kRequests threads hold that read experts, or whole layers where there are none.
  static std::uint64_t planned_staging_bytes(const WeightList& list);

  static constexpr int kRequests = 12;  // in flight: one SSD's speed levels off between 8 and 16 (1.55, 1.66 GB/s; 32: 1.76)

 private:
  struct Queued {
    Request request;
    Ticket* ticket;
  };
  void work();

  TensorFile& file_;
  const Done on_done_;
  mutable std::mutex mutex_;
  std::condition_variable wake_, done_;
  std::deque<Queued> queue_;      // guarded
  std::uint64_t bytes_read_ = 0;  // guarded
  bool stopping_ = false;         // guarded
  std::vector<std::thread> threads_;
};

// Every part of the items of a block; of an expert: of its matrices.
void add_requests(const WeightBlock& block, std::byte* base, std::vector<WeightStream::Request>& out);
void add_expert_requests(const WeightBlock& block, std::int64_t expert, std::byte* base, std::vector<WeightStream::Request>& out);

}  // namespace codicil::model
