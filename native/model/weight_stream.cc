// See weight_stream.h.
#include "native/model/weight_stream.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace codicil::model {

WeightStream::WeightStream(TensorFile& file, int threads, Done on_done) : file_(file), on_done_(std::move(on_done)) {
  for (int i = 0; i < threads; ++i) threads_.emplace_back([this] { work(); });
}

WeightStream::~WeightStream() {
  {
    const std::scoped_lock lock(mutex_);
    stopping_ = true;
    queue_.clear();
  }
  wake_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void WeightStream::submit(std::span<const Request> requests, Ticket& ticket) {
  {
    const std::scoped_lock lock(mutex_);
    for (const Request& request : requests) {
      queue_.push_back({request, &ticket});
      ticket.bytes_left_ += TensorParts(*request.item->tensor).get(request.part).bytes;
    }
    ticket.left_ += static_cast<std::int64_t>(requests.size());
  }
  wake_.notify_all();
}

Status WeightStream::wait(Ticket& ticket) {
  std::unique_lock lock(mutex_);
  done_.wait(lock, [&] { return ticket.left_ == 0; });
  return ticket.status_;
}

std::uint64_t WeightStream::wait_for(Ticket& ticket, int ms) {
  std::unique_lock lock(mutex_);
  done_.wait_for(lock, std::chrono::milliseconds(ms), [&] { return ticket.left_ == 0; });
  return ticket.bytes_left_;
}

bool WeightStream::has_failed(const Ticket& ticket) const {
  const std::scoped_lock lock(mutex_);
  return !ticket.status_.ok();
}

std::uint64_t WeightStream::bytes_read() const {
  const std::scoped_lock lock(mutex_);
  return bytes_read_;
}

void WeightStream::work() {
  Staging staging;
  std::unique_lock lock(mutex_);
  for (;;) {
    wake_.wait(lock, [&] { return stopping_ || !queue_.empty(); });
    if (stopping_) return;
    const Queued next = queue_.front();
    queue_.pop_front();
    const bool wanted = next.ticket->status_.ok();  // after a failure the rest of a ticket is only counted down
    lock.unlock();
    const WeightItem& item = *next.request.item;
    const TensorPart part = TensorParts(*item.tensor).get(next.request.part);
    Status status;
    if (wanted) {
      const Result<std::span<const std::byte>> raw = file_.read(*item.tensor, part, staging);
      status = raw.ok() ? Status() : raw.status();
      if (raw.ok()) write_part(item, raw.value(), part.first_row, part.rows, next.request.base);
    }
    lock.lock();
    bytes_read_ += part.bytes;
    Ticket& ticket = *next.ticket;
    ticket.bytes_left_ -= part.bytes;
    if (ticket.status_.ok() && !status.ok()) ticket.status_ = std::move(status);
    if (--ticket.left_ > 0) continue;
    if (!on_done_) {
      done_.notify_all();
      continue;
    }
    // The ticket is not touched any more once on_done_ has it.
    const Status result = std::exchange(ticket.status_, Status());
    lock.unlock();
    on_done_(ticket, result);
    lock.lock();
  }
}

std::uint64_t WeightStream::planned_staging_bytes(const WeightList& list) {
  std::uint64_t largest = 0;
  for (const WeightBlock& layer : list.layers)
    for (const WeightItem& item : layer.experts.empty() ? layer.items : layer.experts)
      largest = std::max(largest, TensorParts(*item.tensor).get(0).bytes);
  return kRequests * Staging::planned_bytes(largest);
}

void add_requests(const WeightBlock& block, std::byte* base, std::vector<WeightStream::Request>& out) {
  for (const WeightItem& item : block.items)
    for (std::int64_t part = 0; part < TensorParts(*item.tensor).count(); ++part) out.push_back({&item, base, part});
}

void add_expert_requests(const WeightBlock& block, std::int64_t expert, std::byte* base, std::vector<WeightStream::Request>& out) {
  for (const WeightItem& item : block.experts) {
    const std::int64_t parts = TensorParts(*item.tensor).per_matrix();
    for (std::int64_t part = 0; part < parts; ++part) out.push_back({&item, base, expert * parts + part});
  }
}

}  // namespace codicil::model
