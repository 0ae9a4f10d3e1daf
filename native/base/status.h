// Status and Result: how every fallible call in the engine answers.
//
// Owns: the closed list of error codes, mirrored from core/contract/errors.ts (a test compares both lists),
// and the two return types. No exception crosses a folder; a failed call returns a code and one message in the
// form "what was expected, what was found, what to do".
// Rule that must stay true: both types are [[nodiscard]]; a Result is read only after ok() was asked.
#pragma once

#include <cassert>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace codicil {

enum class Code {
  ok,
  invalid_request,     // the caller asked for something that has no meaning (bad argument)
  not_found,           // a named thing (file, model, session, document) is not there
  cancelled,           // the user or the caller stopped it
  unsupported_format,  // a file of a kind that is not read
  corrupt_file,        // a file that breaks the rules of its own format
  encrypted,           // a password is needed, or the one given is wrong
  empty_file,          // zero bytes, or no page in it
  too_large,           // over an explicit limit (bytes, pages, expansion ratio)
  timeout,             // over an explicit time limit
  no_text,             // readable, but there is not one character in it
  model_invalid,       // a GGUF that breaks the format or contradicts itself
  model_unsupported,   // a sound GGUF of an architecture, tensor type or tokenizer that is not implemented
  does_not_fit,        // the plan does not fit the memory or context budget
  context_full,        // the session has no room for more tokens
  out_of_memory,       // the system refused an allocation
  engine_down,         // the engine process ended; it is being restarted
  version_mismatch,    // two processes, or a stored file, speak another version
  no_documents,        // a question or job without any readable document
  io_failed,           // the system refused a read or a write
  internal,            // a bug: reported with enough to find it
};

std::string_view code_name(Code code);

class [[nodiscard]] Status {
 public:
  Status() = default;
  Status(Code code, std::string message) : code_(code), message_(std::move(message)) {}
  bool ok() const { return code_ == Code::ok; }
  Code code() const { return code_; }
  const std::string& message() const { return message_; }

 private:
  Code code_ = Code::ok;
  std::string message_;
};

template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : value_(std::move(value)) {}         // NOLINT(google-explicit-constructor): return sites read better
  Result(Status status) : status_(std::move(status)) {  // NOLINT(google-explicit-constructor)
    assert(!status_.ok());
  }
  bool ok() const { return value_.has_value(); }
  const Status& status() const { return status_; }
  // Only where ok(): what is no value has no place that could be given out.
  T& value() & {
    assert(ok());
    return *value_;
  }
  const T& value() const& {
    assert(ok());
    return *value_;
  }
  T&& value() && {
    assert(ok());
    return std::move(*value_);
  }

 private:
  std::optional<T> value_;
  Status status_;
};

}  // namespace codicil
