//===- CellReshards.h - the reshards of one value -------------------------===//
//
// The reshards between a cell's definition and its uses depend only on that
// definition, the cell's pins and the ops that use it. So the reshards of a
// program are those of its cells, one after the other (Reshards.h), and
// changing an op changes only the reshards of the values that it touches.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_COST_CELLRESHARDS_H
#define PARTITA_COST_CELLRESHARDS_H

#include "partita/Cost/Reshards.h"
#include "partita/Cost/Rooms.h"
#include "partita/Propagate/PartialSumCarriers.h"

namespace partita::cost {

/// Reshards of one value, numbered from 0.
struct CellReshards {
  llvm::SmallVector<Reshard, 4> list;
  /// For each reshard, the first op that uses its result.
  llvm::SmallVector<OpId, 4> firstUsers;
  /// Uses of a boundary value or an op's result, each with the reshard whose result it takes. An invalid reshard: it
  /// takes the value as it is defined.
  llvm::SmallVector<std::pair<UseId, ReshardId>, 8> uses;
  /// The reshard from the sharding in which the op gives its result to the sharding of the cell.
  ReshardId definition;

  void clear();
};

class CellReshardBuilder {
public:
  CellReshardBuilder(const Assignment &assignment, ReshardPlanner &planner)
      : assignment(assignment), topology(assignment.getTopology()), graph(assignment.getGraph()),
        numAxes(static_cast<uint32_t>(assignment.getAxes().size())), planner(planner) {}

  /// Between an argument, carried value or branch result and its uses.
  const CellReshards &buildOfBoundary(CellId boundary);
  /// Between a result of an op and its uses. If the op defines a boundary value or a result of the program: to the
  /// sharding of that cell.
  const CellReshards &buildOfDefinition(OpId op, uint32_t result);

  /// The sharding in which the op itself gives its result.
  PartialSharding getDefinitionSharding(OpId op, uint32_t result) const;
  PartialSharding getBoundarySharding(CellId cell) const;

private:
  using Uses = llvm::SmallVector<UseId, 8>;

  /// A value in some sharding, from which uses can be served.
  struct AvailableSharding {
    CellId cell;
    PartialSharding sharding;
    /// The reshard that made it, or none.
    ReshardId source;
    /// The op after which it exists; invalid for boundary values.
    OpId op;
    /// A carried value inside its loop has no position after its definition.
    bool hasPosition = true;
  };

  /// A use and the sharding it requires.
  struct RequiredSharding {
    UseId use;
    OpId op;
    PartialSharding sharding;
  };
  using RequiredShardings = llvm::SmallVector<RequiredSharding, 4>;

  // Shardings.
  PartialSharding getCellSharding(CellId cell, const PartialSharding &definition) const;
  bool takesSum(OpId op, uint32_t operand, AxisId axis) const {
    return assignment.getFactor(topology.getNode(op), axis) == sumFactor && isLinearIn(graph.ops[op], operand);
  }
  PartialSharding getRequired(UseId use, const PartialSharding &available) const;
  PartialSharding getBoundSharding(CellId cell, const PartialSharding &given, llvm::ArrayRef<UseId> uses) const;

  // Uses.
  void serveUses(const AvailableSharding &available, llvm::ArrayRef<UseId> uses);
  void note(UseId use, ReshardId reshard) { made.uses.push_back({use, reshard}); }
  bool grows(const ReshardPlan &plan) const;
  /// The use group that the plan states for this use; 0 if there is none.
  uint32_t getGroup(const AvailableSharding &available, const RequiredSharding &need) const;
  void serve(const AvailableSharding &available, llvm::ArrayRef<RequiredSharding> needs);
  void serveReduced(const AvailableSharding &available, llvm::ArrayRef<RequiredSharding> needs);
  PartialSharding chooseSharding(const AvailableSharding &available, llvm::ArrayRef<RequiredSharding> needs);

  // Reshards.
  ReshardPlanId findPlan(CellId cell, const PartialSharding &from, const PartialSharding &to) {
    return planner.find(graph.getShape(cell), graph.cells[cell].elementBits, from, to);
  }
  RegionId getRegion(const AvailableSharding &available) const;
  ReshardId add(const Reshard &reshard, OpId firstUser);
  ReshardId addAfter(const AvailableSharding &available, const PartialSharding &to, OpId firstUser);
  ReshardId addBefore(const AvailableSharding &available, ReshardPlanId plan, OpId user);

  const Assignment &assignment;
  const Topology &topology;
  const Graph &graph;
  uint32_t numAxes;
  ReshardPlanner &planner;
  CellReshards made;
};

} // namespace partita::cost

#endif
