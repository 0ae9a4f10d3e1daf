// A test framework in one page: CODICIL_TEST(a_clause_with_underscores) { CHECK(...); }. One binary per *_test.cc; main() is in test_main.cc.
//
// Owns: registration and checks. CHECK* count a failure and go on; REQUIRE* end the test. SKIP(reason) ends it as skipped, said aloud.
// The binary prints one line per failure and ends with "N passed, N failed, N skipped"; exit code 1 when anything failed or nothing ran.
// Words on the command line select the tests whose name contains one of them.
#pragma once

#include <cmath>
#include <sstream>
#include <string>
#include <string_view>
#include <type_traits>

#include "native/base/status.h"

namespace codicil::test {

struct Registration {
  Registration(const char* name, void (*body)());
};

void fail(const char* file, int line, const std::string& message);
void skip(const std::string& reason);
bool current_failed();  // the running test has a failure already

template <typename T>
std::string show(const T& value) {
  if constexpr (std::is_enum_v<T>) {
    return std::to_string(static_cast<long long>(value));
  } else if constexpr (requires(std::ostream& out) { out << value; }) {
    std::ostringstream out;
    out.precision(9);
    out << value;
    return out.str();
  } else {
    return "(value of " + std::to_string(sizeof(T)) + " bytes)";
  }
}
inline std::string show(Code value) { return std::string(code_name(value)); }

template <typename A, typename B>
bool check_eq(const A& left, const B& right, const char* text, const char* file, int line) {
  bool equal = false;
  if constexpr (std::is_integral_v<A> && std::is_integral_v<B> && !std::is_same_v<A, bool> && !std::is_same_v<B, bool>)
    equal = std::cmp_equal(left, right);
  else
    equal = left == right;
  if (!equal) fail(file, line, std::string(text) + ": " + show(left) + " is not " + show(right));
  return equal;
}

template <typename A, typename B>
bool check_near(const A& left, const B& right, double tolerance, const char* text, const char* file, int line) {
  const double difference = std::fabs(static_cast<double>(left) - static_cast<double>(right));
  const bool near = difference <= tolerance;  // false for NaN too
  if (!near) fail(file, line, std::string(text) + ": " + show(left) + " and " + show(right) + " differ by " + show(difference));
  return near;
}

inline const Status& status_of(const Status& status) { return status; }
template <typename T>
Status status_of(const Result<T>& result) {
  return result.ok() ? Status() : result.status();
}

// Expects a failure with this code whose message contains `part`.
bool check_status(const Status& status, Code code, std::string_view part, const char* text, const char* file, int line);

}  // namespace codicil::test

#define CODICIL_TEST(name)                                                                            \
  static void codicil_test_##name();                                                                  \
  static const ::codicil::test::Registration codicil_registration_##name(#name, codicil_test_##name); \
  static void codicil_test_##name()

#define CHECK(condition)                                                     \
  do {                                                                       \
    if (!(condition)) ::codicil::test::fail(__FILE__, __LINE__, #condition); \
  } while (false)
#define REQUIRE(condition)                                   \
  do {                                                       \
    if (!(condition)) {                                      \
      ::codicil::test::fail(__FILE__, __LINE__, #condition); \
      return;                                                \
    }                                                        \
  } while (false)
#define CHECK_EQ(left, right) (void)::codicil::test::check_eq((left), (right), #left " == " #right, __FILE__, __LINE__)
#define REQUIRE_EQ(left, right)                                                                       \
  do {                                                                                                \
    if (!::codicil::test::check_eq((left), (right), #left " == " #right, __FILE__, __LINE__)) return; \
  } while (false)
#define CHECK_NEAR(left, right, tolerance) (void)::codicil::test::check_near((left), (right), (tolerance), #left " ~ " #right, __FILE__, __LINE__)
// For a Status or a Result: it is ok / it failed with this code and its message contains `part`.
#define CHECK_OK(expression) \
  (void)::codicil::test::check_status(::codicil::test::status_of(expression), ::codicil::Code::ok, "", #expression, __FILE__, __LINE__)
#define REQUIRE_OK(expression)                                                                                                                    \
  do {                                                                                                                                            \
    if (!::codicil::test::check_status(::codicil::test::status_of(expression), ::codicil::Code::ok, "", #expression, __FILE__, __LINE__)) return; \
  } while (false)
#define CHECK_STATUS(expression, code, part) \
  (void)::codicil::test::check_status(::codicil::test::status_of(expression), (code), (part), #expression, __FILE__, __LINE__)
#define SKIP(reason)               \
  do {                             \
    ::codicil::test::skip(reason); \
    return;                        \
  } while (false)
