//===- RematChoice.h - proposes values to recompute or to keep ------------===//
//
// Values that both passes need come in classes, alike in all layers (Remat). A
// knapsack says which of them are kept: those whose cones take most time for each
// byte, as far as memory goes; all others are recomputed. Memory goes as far as
// the limit allows at every point of the program at which a class is alive. Bytes
// and times are those of one device under a plan:
//
//   floor(p)    what is alive at point p if no class is kept
//   bytes(c)    what class c takes while it is kept, at the points of its ranges
//   time(c)     what its cone takes while it is recomputed, less what its stack takes
//               while it is kept, if it has one: the forward loop writes each slice
//               from a value, and the backward loop reads it (3 bytes / M and two
//               launches; M the memory's rate)
//
// With M microbatches, arguments stay and the rest is an M-th. What else stays
// (sums of gradients) follows from a peak that is known for M.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_VARIANTS_REMATCHOICE_H
#define PARTITA_VARIANTS_REMATCHOICE_H

#include "partita/Cost/Price.h"
#include "partita/Remat/Rematerialize.h"
#include "partita/Variants/Rooms.h"

namespace partita::variants {

/// What a class takes of one device under a plan.
struct RematPrice {
  /// `bytes` are alive at the points [first, last].
  struct Range {
    size_t first = 0, last = 0;
    double bytes = 0;
  };
  /// Whether the program keeps it as it is.
  bool isKeptByProgram = true;
  std::vector<Range> ranges = {};
  /// What keeping it saves; less than nothing if its stack takes longer than its cone.
  double timePs = 0;

  double getBytes() const;
};

/// The prices of all classes under a plan.
struct RematPrices {
  std::vector<RematPrice> classes;
  /// At points of the program, in order.
  std::vector<double> floor;
  double argumentBytes = 0;
};

/// `price` is of the program in which the classes were found.
RematPrices priceClasses(const Price &price, llvm::ArrayRef<RematClass> classes);

/// What was measured of a plan: its peak with so many microbatches if these classes are kept.
struct KnownPeak {
  int64_t microbatches = 1;
  std::vector<size_t> kept;
  double peakBytes = 0;
};

/// The numbers of the classes that are kept, in ascending order; nothing if the plan does not fit whatever is
/// recomputed. A class that the program recomputes is kept only if that saves time; one that it keeps is kept if there
/// is memory for it.
std::optional<std::vector<size_t>> chooseKept(const RematPrices &prices, const KnownPeak &known, double limitBytes);

} // namespace partita::variants

#endif
