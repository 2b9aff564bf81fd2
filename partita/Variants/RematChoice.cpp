//===- RematChoice.cpp - proposes values to recompute or to keep ----------===//

#include "partita/Variants/RematChoice.h"

#include "llvm/ADT/STLExtras.h"

namespace partita::variants {

/// The classes of a kind that take bytes, those with the fewest flops for each byte first.
static std::vector<size_t> sortByFlops(llvm::ArrayRef<RematClass> classes, RematKind kind) {
  std::vector<size_t> order;
  for (size_t i = 0; i < classes.size(); ++i)
    if (classes[i].kind == kind && classes[i].bytes > 0)
      order.push_back(i);
  llvm::sort(order, [&](size_t a, size_t b) {
    double less = double(classes[a].flops) * double(classes[b].bytes);
    double more = double(classes[b].flops) * double(classes[a].bytes);
    return std::tie(less, a) < std::tie(more, b);
  });
  return order;
}

static void add(llvm::ArrayRef<RematClass> classes, size_t number, RematChoice &choice) {
  choice.classes.push_back(number);
  choice.bytes += double(classes[number].bytes);
  choice.flops += double(classes[number].flops);
}

RematChoice chooseRecomputed(llvm::ArrayRef<RematClass> classes, double bytes) {
  RematChoice choice;
  for (size_t number : sortByFlops(classes, RematKind::Recompute))
    if (choice.bytes < bytes)
      add(classes, number, choice);
  llvm::sort(choice.classes);
  return choice;
}

RematChoice chooseKept(llvm::ArrayRef<RematClass> classes, double bytes) {
  RematChoice choice;
  std::vector<size_t> order = sortByFlops(classes, RematKind::Keep);
  for (size_t number : llvm::reverse(order))
    if (choice.bytes + double(classes[number].bytes) <= bytes)
      add(classes, number, choice);
  llvm::sort(choice.classes);
  return choice;
}

} // namespace partita::variants
