//===- ProgramText.cpp - prints and hashes programs -----------------------===//

#include "partita/Program/ProgramText.h"

#include "partita/Program/BooleanHex.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/SHA256.h"

using namespace mlir;

namespace partita::program {

namespace {

/// Hashes what is printed into it, without keeping it.
class HashStream : public llvm::raw_ostream {
public:
  ~HashStream() override { flush(); }
  std::string getHex() {
    flush();
    return llvm::toHex(hash.final(), /*LowerCase=*/true);
  }

private:
  void write_impl(const char *data, size_t size) override {
    hash.update(llvm::StringRef(data, size));
    written += size;
  }
  uint64_t current_pos() const override { return written; }

  llvm::SHA256 hash;
  uint64_t written = 0;
};

} // namespace

std::string printProgram(ModuleOp module, bool withLocations) {
  OpPrintingFlags flags;
  flags.assumeVerified();
  if (withLocations)
    flags.enableDebugInfo();
  std::string text;
  llvm::raw_string_ostream stream(text);
  module.print(stream, flags);
  return unpackBooleanHex(std::move(text), BooleanText::Words);
}

bool hasLocations(ModuleOp module) {
  WalkResult result = module.walk([](Operation *op) {
    bool isPlain = isa<FileLineColLoc, UnknownLoc>(op->getLoc());
    return isPlain ? WalkResult::advance() : WalkResult::interrupt();
  });
  return result.wasInterrupted();
}

std::string hashProgram(ModuleOp module) {
  HashStream stream;
  module.print(stream);
  return stream.getHex();
}

} // namespace partita::program
