// What a deletion did, file by file: how much is gone, and which files the system would not remove.
//
// Rule that must stay true: only what is gone is counted, and result() is an error for as long as one file is left.
#pragma once

#include <string>
#include <system_error>
#include <vector>

#include "native/base/status.h"
#include "native/kv/kv.h"

namespace codicil::kv {

class Deletion {
 public:
  // True: no such file is there any more. `counts`: a record, that a person is told the number of.
  bool remove(const std::string& path, bool counts = true);
  void failed(const std::string& path, const std::string& reason);
  bool complete() const { return left_.empty(); }
  // io_failed with the files that are left, why, and what is gone all the same.
  Result<Forgotten> result() const;

 private:
  Forgotten gone_;
  std::vector<std::string> left_;
  std::string reason_;  // of the first
};

}  // namespace codicil::kv
