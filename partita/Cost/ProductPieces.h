//===- ProductPieces.h - products that run beside their collectives -------===//
//
// A product that waits for a gather can begin with the piece that the device
// has, while the pieces of its neighbors come in one after the other. So a gather
// over k devices along a dim that products take as rows (a dim of one operand
// and of the result) becomes k - 1 permutes, each product k products of a piece,
// and a concatenation (Lower/PieceEmitter.h):
//
//   x0 = x; x1 = permute x0; ...; x(k-1)       the device's digit d, then d + 1, ...
//   y0 = x0 w; y1 = x1 w; ...; y(k-1)          beside the next permute
//   y  = y0 ... y(k-1) in order                one kernel
//
// All products that take the gathered value share the permutes. What else takes
// it has the pieces put together in the same way.
//
// A product of which the partial sums are scattered along its rows is the
// reverse: the device multiplies the rows of each other device by itself, and
// sends the term there while it multiplies the next rows. k terms are added up in
// one kernel.
//
//   y1 = x[d + 1] w; z1 = permute y1; ...; z0 = x[d] w;   z = z0 + z1 + ... + z(k-1)
//
// A plan says which of its gathers and scatters run so. Everything else is as
// without: the same assignment, the same reshards.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_COST_PRODUCTPIECES_H
#define PARTITA_COST_PRODUCTPIECES_H

#include "partita/Cost/Reshards.h"
#include "partita/Cost/Rooms.h"
#include "partita/Schedule/CellNames.h"
#include "partita/Schedule/PiecedCollectives.h"

#include <map>

namespace partita::cost {

/// More pieces are smaller products, and longer programs.
inline constexpr int64_t mostPieces = 8;

/// A product that runs in pieces of `factor`: dim `operandDim` of `operand`, and dim `dim` of the result.
struct PiecedProduct {
  OpId op;
  uint8_t factor = 0;
  uint32_t operand = 0, operandDim = 0, dim = 0;
};

/// A gather before its first use, or the scatter of a product's sums, in so many pieces.
struct PiecedReshard {
  ReshardId reshard;
  bool isScatter = false;
  /// One axis, or neighboring parts of one.
  llvm::SmallVector<AxisId, 2> axes;
  int64_t parts = 1;
  /// The dim that is gathered or scattered.
  uint32_t dim = 0;
  /// Of a scatter, the product whose sums it scatters.
  llvm::SmallVector<PiecedProduct, 3> products;
  /// Something else takes the gathered value.
  bool isWhole = false;
};

/// Those of a plan.
class ProductPieces {
public:
  ProductPieces() = default;
  explicit ProductPieces(std::vector<PiecedReshard> given);

  bool empty() const { return list.empty(); }
  llvm::ArrayRef<PiecedReshard> getList() const { return list; }
  /// Null if the reshard is as it always is.
  const PiecedReshard *find(ReshardId reshard) const;
  /// The pieced reshard of a product, and which of its products that is.
  std::optional<std::pair<const PiecedReshard *, const PiecedProduct *>> find(OpId op) const;

private:
  std::vector<PiecedReshard> list;
  std::map<ReshardId, uint32_t> byReshard;
  std::map<OpId, std::pair<uint32_t, uint32_t>> byOp;
};

/// What running a reshard in pieces would be; nothing if it is no gather or scatter that products could run beside.
std::optional<PiecedReshard> findPieces(const Assignment &assignment, const ReshardPlanner &planner,
                                        const Reshards &reshards, ReshardId id);

/// As without pieces, with permutes in place of what runs in pieces.
std::vector<CollectiveCount> countCollectives(const Assignment &assignment, const ReshardPlanner &planner,
                                              const Reshards &reshards, const ProductPieces &pieces);

/// How plan files name it.
PiecedCollective describePieces(const PiecedReshard &pieced, const Reshards &reshards, const Graph &graph,
                                const CellNames &names);

/// The reshards that a plan names. An error if the plan has no such gather or scatter.
Result<ProductPieces> bindPieces(llvm::ArrayRef<PiecedCollective> named, const Assignment &assignment,
                                 const ReshardPlanner &planner, const Reshards &reshards, const CellNames &names);

} // namespace partita::cost

#endif
