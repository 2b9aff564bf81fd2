//===- PiecePrice.cpp - the time and memory of products in pieces ---------===//

#include "partita/Cost/PiecePrice.h"

#include "partita/Cost/CarriedReductions.h"
#include "partita/Cost/DeviceGroups.h"

namespace partita::cost {

/// For each device of the machine, the one of which the place along the axes is larger by `shift`.
static std::vector<int64_t> computeRotation(const CostModel &model, llvm::ArrayRef<AxisId> axes, int64_t shift) {
  llvm::ArrayRef<int64_t> order = model.getDeviceOrder();
  std::vector<int64_t> sources(order.size());
  for (const std::vector<int64_t> &group : computeGroups(model.getAxes(), axes))
    for (size_t place = 0; place < group.size(); ++place) {
      int64_t source = group[(place + static_cast<size_t>(shift)) % group.size()];
      sources[static_cast<size_t>(order[static_cast<size_t>(group[place])])] = order[static_cast<size_t>(source)];
    }
  return sources;
}

/// A gather passes pieces to the next device, k - 1 times; a scatter sends each term to its own device.
static std::vector<CollectivePrice> pricePermutes(const CostModel &model, const PiecedReshard &pieced,
                                                  int64_t pieceBytes) {
  std::vector<CollectivePrice> permutes;
  for (int64_t number = 1; number < pieced.parts; ++number) {
    std::vector<int64_t> sources = computeRotation(model, pieced.axes, pieced.isScatter ? pieced.parts - number : 1);
    CollectiveRequest request;
    request.kind = Collective::CollectivePermute;
    request.payloadBytes = pieceBytes;
    request.sources = sources;
    permutes.push_back(priceCollective(model.getMachine(), request));
  }
  return permutes;
}

/// The product, without what its permutes do. `rowsPs` becomes the time of one piece.
static PiecedOpPrice priceProduct(const CostModel &model, const Assignment &assignment, const PiecedReshard &pieced,
                                  const PiecedProduct &product, int64_t &rowsPs) {
  const OpPricer &pricer = model.getOpPricer();
  rowsPs = pricer.computeRowsPs(assignment, product.op, product.operand, product.operandDim, pieced.parts);
  uint32_t result = model.getGraph().ops[product.op].numUses;
  int64_t resultBytes = pricer.computeLocalBytes(assignment, product.op, result);
  PiecedOpPrice price;
  int64_t timePs = multiplySaturated(rowsPs, pieced.parts);
  if (pieced.isScatter) {
    int64_t operandBytes = pricer.computeLocalBytes(assignment, product.op, product.operand);
    int64_t slicesPs = multiplySaturated(pricer.getLaunchPs(), pieced.parts) + pricer.computeMemoryPs(2 * operandBytes);
    timePs += slicesPs + pricer.computeKernelPs(resultBytes + resultBytes / pieced.parts);
    price.temporaryBytes = operandBytes + resultBytes - resultBytes / pieced.parts;
    price.numKernels = 2 * pieced.parts + 1;
  } else {
    timePs += pricer.computeKernelPs(2 * resultBytes);
    price.temporaryBytes = resultBytes;
    price.numKernels = pieced.parts + 1;
  }
  price.timePs = std::min(maxTimePs, timePs);
  return price;
}

PiecedPrice pricePieces(const CostModel &model, const Assignment &assignment, const ReshardPlanner &planner,
                        const Reshards &reshards, const PiecedReshard &pieced) {
  const ReshardPlan &plan = planner[reshards[pieced.reshard].plan];
  const ReshardStep &step = plan.steps.front();
  PiecedPrice price;
  PiecedReshardPrice &reshard = price.reshard;
  reshard.pieceBytes = step.payloadBytes / pieced.parts;
  reshard.permutes = pricePermutes(model, pieced, reshard.pieceBytes);
  std::vector<int64_t> rows;
  int64_t besidePs = 0, rowsPs = 0;
  for (const PiecedProduct &product : pieced.products) {
    price.ops.push_back(priceProduct(model, assignment, pieced, product, rows.emplace_back()));
    rowsPs = std::min(maxTimePs, rowsPs + rows.back());
  }
  auto hiding = static_cast<int64_t>(static_cast<__int128>(rowsPs) * model.getOptions().overlapPpm / wholePpm);
  for (const CollectivePrice &permute : reshard.permutes) {
    int64_t hidden = std::min(permute.timePs, hiding);
    besidePs += hidden;
    reshard.exposedPs = std::min(maxTimePs, reshard.exposedPs + permute.timePs - hidden);
  }
  reshard.exposedPs = std::max<int64_t>(1, reshard.exposedPs);
  for (auto [op, own] : llvm::zip_equal(price.ops, rows))
    op.besidePs = rowsPs > 0 ? static_cast<int64_t>(static_cast<__int128>(besidePs) * own / rowsPs) : 0;
  if (pieced.isScatter) {
    reshard.bytes = reshard.pieceBytes;
    return price;
  }
  reshard.bytes = step.payloadBytes - reshard.pieceBytes;
  if (pieced.isWhole) {
    reshard.bytes += step.payloadBytes;
    reshard.wholePs = model.getOpPricer().computeKernelPs(2 * step.payloadBytes);
  }
  return price;
}

PiecePrices::PiecePrices(const CostModel &model, const Assignment &assignment, const ReshardPlanner &planner,
                         const Reshards &reshards, const ProductPieces &pieces, const std::set<ReshardId> &rotated) {
  LoopMiddles found(model.getTopology());
  for (ReshardId id : rotated) {
    this->rotated.insert({reshards[id].cell, reshards[id].op, reshards[id].plan});
    if (isCarried(reshards[id]))
      middles[reshards[id].region] = found.find(reshards[id].region);
  }
  for (const PiecedReshard &pieced : pieces.getList()) {
    const Reshard &reshard = reshards[pieced.reshard];
    PiecedPrice price = pricePieces(model, assignment, planner, reshards, pieced);
    for (auto [product, own] : llvm::zip_equal(pieced.products, price.ops))
      ops.emplace(product.op, own);
    keys.emplace(ReshardKey{reshard.cell, reshard.op, reshard.plan}, std::move(price.reshard));
  }
}

} // namespace partita::cost
