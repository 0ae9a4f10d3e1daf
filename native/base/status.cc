#include "native/base/status.h"

namespace codicil {

std::string_view code_name(Code code) {
  switch (code) {
    case Code::ok:
      return "ok";
    case Code::invalid_request:
      return "invalid_request";
    case Code::not_found:
      return "not_found";
    case Code::cancelled:
      return "cancelled";
    case Code::unsupported_format:
      return "unsupported_format";
    case Code::corrupt_file:
      return "corrupt_file";
    case Code::encrypted:
      return "encrypted";
    case Code::empty_file:
      return "empty_file";
    case Code::too_large:
      return "too_large";
    case Code::timeout:
      return "timeout";
    case Code::no_text:
      return "no_text";
    case Code::model_invalid:
      return "model_invalid";
    case Code::model_unsupported:
      return "model_unsupported";
    case Code::does_not_fit:
      return "does_not_fit";
    case Code::context_full:
      return "context_full";
    case Code::out_of_memory:
      return "out_of_memory";
    case Code::engine_down:
      return "engine_down";
    case Code::version_mismatch:
      return "version_mismatch";
    case Code::no_documents:
      return "no_documents";
    case Code::io_failed:
      return "io_failed";
    case Code::internal:
      return "internal";
  }
  return "internal";
}

}  // namespace codicil
