//===- PiecePrice.h - the time and memory of products in pieces -----------===//
//
// A gather or scatter of k pieces, with products of which one piece takes c
// together, and k - 1 permutes that take p each (ProductPieces.h):
//
//   products      k c, each piece with its launch and at the efficiency of its size
//                 (ProductPrice.h)
//   permutes      each beside the next pieces: compute waits for max(0, p - c), and
//                 the network is busy for min(p, c) beside compute
//   gather        what puts a product's rows together: launch + 2 result / memory
//                 rate; the same for the gathered value, if something else takes it
//   scatter       a slice of each piece of rows: k launches + 2 operand / memory
//                 rate; one sum: launch + (k + 1) piece / memory rate
//
// With a share r < 1 of compute that can hide communication, r c takes the place
// of c in the second line.
//
// Memory: the pieces that came in, as long as a gathered value would live; a
// product's rows beside its result; of a scatter the slices, and the terms that
// came in.
//
// Something waits for the first piece in any case, so what is gathered for later
// ops does not pass it: compute waits for one picosecond at least (a fence).
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_COST_PIECEPRICE_H
#define PARTITA_COST_PIECEPRICE_H

#include "partita/Cost/CostModel.h"
#include "partita/Cost/LoopRotation.h"
#include "partita/Cost/ProductPieces.h"
#include "partita/Cost/Rooms.h"

namespace partita::cost {

/// One execution of a product in pieces.
struct PiecedOpPrice {
  int64_t timePs = 0;
  /// How long the network is busy with permutes meanwhile.
  int64_t besidePs = 0;
  int64_t temporaryBytes = 0;
  int64_t numKernels = 0;
};

/// One execution of a reshard in pieces.
struct PiecedReshardPrice {
  int64_t exposedPs = 0;
  /// To put the gathered value together, if something takes it.
  int64_t wholePs = 0;
  /// What it makes that lives as long as its result.
  int64_t bytes = 0;
  int64_t pieceBytes = 0;
  std::vector<CollectivePrice> permutes;
};

struct PiecedPrice {
  PiecedReshardPrice reshard;
  /// As PiecedReshard::products.
  std::vector<PiecedOpPrice> ops;
};

PiecedPrice pricePieces(const CostModel &model, const Assignment &assignment, const ReshardPlanner &planner,
                        const Reshards &reshards, const PiecedReshard &pieced);

/// Of all that a plan runs in pieces; and which of its gathers and reductions are rotated (LoopRotation.h,
/// CarriedReductions.h), which UnitPrice prices.
class PiecePrices {
public:
  PiecePrices() = default;
  PiecePrices(const CostModel &model, const Assignment &assignment, const ReshardPlanner &planner,
              const Reshards &reshards, const ProductPieces &pieces, const std::set<ReshardId> &rotated);

  bool isRotated(const Reshard &reshard) const { return rotated.contains({reshard.cell, reshard.op, reshard.plan}); }
  /// Where an iteration waits for the reductions of the one before; invalid if there are none.
  OpId getMiddle(RegionId body) const {
    auto found = middles.find(body);
    return found == middles.end() ? OpId() : found->second;
  }
  /// Null for ops and reshards that do not run in pieces.
  const PiecedOpPrice *find(OpId op) const {
    auto found = ops.find(op);
    return found == ops.end() ? nullptr : &found->second;
  }
  const PiecedReshardPrice *find(const Reshard &reshard) const {
    auto found = keys.find({reshard.cell, reshard.op, reshard.plan});
    return found == keys.end() ? nullptr : &found->second;
  }

private:
  std::map<OpId, PiecedOpPrice> ops;
  std::map<ReshardKey, PiecedReshardPrice> keys;
  std::set<ReshardKey> rotated;
  /// Of loops with carried reductions.
  std::map<RegionId, OpId> middles;
};

/// Whether a rotated reshard is a reduction of the iteration before, and not a gather for the next.
inline bool isCarried(const Reshard &rotated) { return rotated.position == ReshardPosition::AfterDefinition; }

} // namespace partita::cost

#endif
