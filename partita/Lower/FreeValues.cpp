//===- FreeValues.cpp - reuses copies of values without arguments ---------===//

#include "partita/Lower/FreeValues.h"

#include "llvm/ADT/Hashing.h"

using namespace mlir;

namespace partita::lower {

static bool isSame(const Split &a, const Split &b) {
  return a.factor == b.factor && a.parts == b.parts && a.index == b.index;
}

static size_t hashEntry(Operation *op, ValueRange operands, ArrayRef<Split> splits) {
  llvm::hash_code hash = llvm::hash_value(op);
  for (Value operand : operands)
    hash = llvm::hash_combine(hash, operand.getAsOpaquePointer());
  for (const Split &split : splits)
    hash = llvm::hash_combine(hash, split.factor, split.parts, split.index.getAsOpaquePointer());
  return hash;
}

Value &FreeValues::find(Operation *op, ValueRange operands, ArrayRef<Split> splits) {
  size_t hash = hashEntry(op, operands, splits);
  auto [first, last] = index.equal_range(hash);
  for (auto it = first; it != last; ++it) {
    Entry &entry = known[it->second];
    if (entry.op == op && llvm::equal(entry.operands, operands) && llvm::equal(entry.splits, splits, isSame))
      return entry.value;
  }
  index.emplace(hash, known.size());
  known.push_back({hash, op, llvm::to_vector<2>(operands), llvm::to_vector<2>(splits), Value()});
  return known.back().value;
}

void FreeValues::forgetFrom(size_t begin) {
  while (known.size() > begin) {
    auto [first, last] = index.equal_range(known.back().hash);
    auto found = std::find_if(first, last, [&](const auto &entry) { return entry.second == known.size() - 1; });
    index.erase(found);
    known.pop_back();
  }
}

} // namespace partita::lower
