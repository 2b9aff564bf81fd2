//===- ShardingTable.h - forms of a tensor, and the least time between them --===//
//
// A form says of each axis whether it splits a dim, is free, or is one over which
// the pieces are partial. The order of axes on a dim is left out: forms that
// differ in it alone are one.
//
//   T(f, g)   the least time of any steps from f to g on the machine, each step at
//             the price of the collective; slices, and changes of order alone, cost
//             nothing
//
// T is a shortest path over single steps, so it is no more than what any plan
// from f to g costs, through whatever forms it goes and whatever it was chosen
// for; and T(f, h) <= T(f, g) + T(g, h). No steps make a value partial.
//
//   R(f, g)   the same of one plan: no two reductions onto the same dim (or none)
//             follow each other
//
// for one over the axes of both sends no more, makes nothing on the way and is one
// step less: that is what the planner takes (ReshardSearch.cpp). On many machines
// the two are faster.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_SEARCH_BOUND_SHARDINGTABLE_H
#define PARTITA_SEARCH_BOUND_SHARDINGTABLE_H

#include "partita/Cost/CostModel.h"
#include "partita/Cost/ReshardPlan.h"
#include "partita/Search/Bound/PairwiseBound.h"
#include "partita/Search/Bound/PermutePrices.h"
#include "partita/Search/Rooms.h"

#include <map>
#include <memory>

namespace partita::search {

/// A form of some shape, as a number: for each axis one digit (0 free, 1 + d on dim d, 1 + rank partial).
using ShardingCode = uint32_t;

class ShardingTable : public ReshardTimes {
public:
  /// R in place of T.
  class OnePlan : public ReshardTimes {
  public:
    explicit OnePlan(ShardingTable &table) : table(table), times(table.size()) {}
    const int64_t *getTimes(uint32_t from) override;
    int64_t getBytes(uint32_t form) const override { return table.getBytes(form); }
    bool isPartial(uint32_t form) const override { return table.isPartial(form); }

  private:
    ShardingTable &table;
    std::vector<std::vector<int64_t>> times;
  };

  ShardingTable(const CostModel &model, PermutePrices &permutes, llvm::ArrayRef<int64_t> shape, uint32_t elementBits);

  /// There are so many codes; not all of them divide the shape.
  uint32_t size() const { return numCodes; }
  bool divides(ShardingCode code) const { return bytes[code] >= 0; }
  bool isPartial(ShardingCode code) const override { return partials[code] != 0; }
  /// Of a device's piece.
  int64_t getBytes(ShardingCode code) const override { return bytes[code]; }
  uint32_t getDigit(ShardingCode code, AxisId axis) const { return code / powers[axis.get()] % base; }
  ShardingCode getCode(uint32_t digit, AxisId axis) const { return digit * powers[axis.get()]; }
  uint32_t getPartialDigit() const { return base - 1; }

  /// T(from, to) of all `to`; noWay where there is none. Found once.
  const int64_t *getTimes(ShardingCode from) override;
  ReshardTimes &getOnePlan() { return onePlan; }
  static constexpr int64_t maxTime = int64_t(1) << 42;

  /// More codes than these are not kept.
  static constexpr uint64_t maxCodes = 1024;
  static uint64_t countCodes(size_t rank, size_t numAxes);

private:
  struct Step {
    ShardingCode to;
    int64_t timePs;
    /// Of a reduction, the digit that its axes get; of others noReduction.
    uint32_t reduction;
  };
  static constexpr uint32_t noReduction = UINT32_MAX;

  void findPermuted();
  std::vector<int64_t> computeTimes(ShardingCode from, bool isOnePlan);
  /// From the whole forms that it has times to on to all others.
  void addWholeTimes(std::vector<int64_t> &row);
  const std::vector<Step> &getSteps(ShardingCode from);
  void addSteps(ShardingCode from);
  void addGathers(ShardingCode from, uint32_t digit);
  void addReductions(ShardingCode from);
  void addPermutes(ShardingCode from);
  /// Axes of a code with that digit, as bits.
  uint32_t findAxes(ShardingCode code, uint32_t digit) const;
  ShardingCode setDigits(ShardingCode code, uint32_t axes, uint32_t digit) const;
  int64_t price(CollectiveKind kind, uint32_t axes, int64_t payloadBytes);
  Sharding getSharding(ShardingCode code) const;
  int64_t countParts(ShardingCode code, uint32_t digit) const;

  const CostModel &model;
  PermutePrices &permutes;
  uint32_t numAxes, base, numCodes;
  std::vector<uint32_t> powers;
  std::vector<int64_t> bytes;
  std::vector<uint8_t> partials;
  /// Codes that divide, by over which axes they are partial and into how many parts each dim is divided.
  std::vector<std::vector<ShardingCode>> permuted;
  std::vector<uint32_t> divisions;
  std::vector<std::vector<Step>> steps;
  std::vector<std::vector<int64_t>> times;
  OnePlan onePlan;
  std::map<std::tuple<CollectiveKind, uint32_t, int64_t>, int64_t> prices;
};

/// One table for each shape and width.
class ShardingTables {
public:
  explicit ShardingTables(const CostModel &model) : model(model), permutes(model) {}
  /// Null if there are too many forms.
  ShardingTable *find(CellId cell);

private:
  const CostModel &model;
  PermutePrices permutes;
  std::map<std::pair<std::vector<int64_t>, uint32_t>, std::unique_ptr<ShardingTable>> tables;
};

} // namespace partita::search

#endif
