//===- ContainmentTest.cpp ------------------------------------------------===//

#include "partita/Support/Containment.h"

#include "partita/Support/AtomicFile.h"
#include "partita/Support/Error.h"

#include "llvm/Support/FileSystem.h"

#include <array>
#include <csignal>
#include <cstdlib>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

namespace partita {
namespace {

TEST(ContainmentTest, GivesTheWorksExitCode) {
  EXPECT_EQ(runContained([] { return 42; }, {}, {}, ".").exitCode, 42);
}

TEST(ContainmentTest, ReportsACrashAndSavesTheInput) {
  llvm::SmallString<128> folder;
  ASSERT_FALSE(llvm::sys::fs::createUniqueDirectory("partita-contain", folder));
  std::string input = (folder + "/model.mlir").str();
  ASSERT_FALSE(writeFilesTogether({{input, "text"}}).has_value());
  auto crash = [] {
    setActivity("parsing model.mlir");
    std::abort();
    return 0;
  };
  Contained result = runContained(crash, {std::string("partita")}, {input}, folder);
  EXPECT_EQ(result.exitCode, static_cast<int>(ExitCode::Internal));
  EXPECT_NE(result.crash.find("Aborted while parsing model.mlir"), std::string::npos);
  size_t at = result.crash.find("saved in ");
  ASSERT_NE(at, std::string::npos);
  EXPECT_TRUE(llvm::sys::fs::exists(result.crash.substr(at + 9) + "/model.mlir"));
  EXPECT_FALSE(llvm::sys::fs::remove_directories(folder));
}

TEST(ContainmentTest, WorkEndsWithTheProcessThatContainsIt) {
  std::array<int, 2> ends{};
  ASSERT_EQ(pipe(ends.data()), 0);
  auto workForEver = [&] {
    [[maybe_unused]] ssize_t written = write(ends[1], "x", 1);
    while (true)
      pause();
    return 0;
  };
  pid_t process = fork();
  if (process == 0)
    _exit(runContained(workForEver, {}, {}, ".").exitCode);
  close(ends[1]);
  char begun = 0;
  ASSERT_EQ(read(ends[0], &begun, 1), 1);
  kill(process, SIGKILL);
  // The pipe closes when both processes are gone.
  pollfd end{ends[0], POLLIN, 0};
  ASSERT_EQ(poll(&end, 1, /*milliseconds=*/30'000), 1);
  EXPECT_EQ(read(ends[0], &begun, 1), 0);
  EXPECT_EQ(waitpid(process, nullptr, 0), process);
  close(ends[0]);
}

/// Each level takes some hundred bytes of stack.
int descend(int depth) {
  volatile char frame[512];
  frame[depth % 512] = char(depth);
  return depth == 0 ? 0 : descend(depth - 1) + (frame[depth % 512] != char(depth));
}

TEST(ContainmentTest, LargeStackHoldsDeepRecursion) {
  // 100,000 levels of about 600 bytes are 60 MB; the usual stack is 8 MB. The thread sanitizer keeps 65,536 levels.
  constexpr int levels = LLVM_THREAD_SANITIZER_BUILD ? 40'000 : 100'000;
  EXPECT_EQ(runOnLargeStack([] { return descend(levels); }), 0);
}

} // namespace
} // namespace partita
