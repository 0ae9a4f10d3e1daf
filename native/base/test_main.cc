// The body of test.h: runs what was registered, one line per failure, one count at the end.
#include <cstdio>
#include <cstring>
#include <vector>

#include "native/base/test.h"

namespace codicil::test {
namespace {

struct Entry {
  const char* name;
  void (*body)();
};
std::vector<Entry>& entries() {
  static std::vector<Entry> list;
  return list;
}

const char* g_name = "";
int g_failures = 0;  // of the running test
bool g_skipped = false;
constexpr int kShownFailures = 20;  // a broken loop says enough with that many

std::string clause(const char* name) {
  std::string text = name;
  for (char& c : text)
    if (c == '_') c = ' ';
  return text;
}

bool selected(const char* name, int argc, char** argv) {
  if (argc < 2) return true;
  for (int i = 1; i < argc; ++i)
    if (std::strstr(name, argv[i]) != nullptr) return true;
  return false;
}

}  // namespace

Registration::Registration(const char* name, void (*body)()) { entries().push_back({name, body}); }

void fail(const char* file, int line, const std::string& message) {
  ++g_failures;
  if (g_failures <= kShownFailures) std::printf("%s:%d: %s: %s\n", file, line, clause(g_name).c_str(), message.c_str());
  std::fflush(stdout);
}

void skip(const std::string& reason) {
  g_skipped = true;
  std::printf("SKIPPED %s: %s\n", clause(g_name).c_str(), reason.c_str());
}

bool current_failed() { return g_failures > 0; }

bool check_status(const Status& status, Code code, std::string_view part, const char* text, const char* file, int line) {
  const bool right = status.code() == code && status.message().find(part) != std::string::npos;
  if (!right)
    fail(file, line,
         std::string(text) + ": expected " + std::string(code_name(code)) + " with \"" + std::string(part) + "\", found " +
             std::string(code_name(status.code())) + ": " + status.message());
  return right;
}

static int run(int argc, char** argv) {
  int passed = 0, failed = 0, skipped = 0;
  for (const Entry& entry : entries()) {
    if (!selected(entry.name, argc, argv)) continue;
    g_name = entry.name;
    g_failures = 0;
    g_skipped = false;
    entry.body();
    if (g_failures > 0)
      ++failed;
    else if (g_skipped)
      ++skipped;
    else
      ++passed;
  }
  std::printf("%d passed, %d failed, %d skipped\n", passed, failed, skipped);
  return failed == 0 && passed + skipped > 0 ? 0 : 1;
}

}  // namespace codicil::test

int main(int argc, char** argv) { return codicil::test::run(argc, argv); }
