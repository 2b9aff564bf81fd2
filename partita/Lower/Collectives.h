//===- Collectives.h - emits the collectives of reshard plans -------------===//
//
// Emits the steps that move a value from one sharding to the next as StableHLO
// ops. A group is the devices that differ in the given axes only, in the order
// of their index along them, major to minor.
//
// Every op has its own channel. XLA merges equal collectives, but never two of
// different channels. So a value that is gathered twice (for the forward and
// again for the backward pass) stays gathered twice.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_LOWER_COLLECTIVES_H
#define PARTITA_LOWER_COLLECTIVES_H

#include "partita/Cost/ReshardPlan.h"
#include "partita/Dialect/StableHlo/StableHlo.h"
#include "partita/Lower/DeviceIndex.h"
#include "partita/Lower/Rooms.h"

namespace partita::lower {

/// Up to this many devices, the groups of a collective are listed; for more, they are written as axes of the mesh.
inline constexpr int64_t maxDenseDevices = 64;

/// The reductions over devices, in the order in which they run, by which `reduced` comes from `value`, if nothing uses
/// what they make yet; none otherwise.
llvm::SmallVector<mlir::Operation *, 2> findUnusedReductions(mlir::Value value, mlir::Value reduced);

class Collectives {
public:
  Collectives(const Axes &axes, DeviceIndex &index) : axes(axes), index(index) {}

  /// Emits the steps of a plan, one after the other. `value` has the sharding from which the plan starts.
  mlir::Value emitPlan(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value value, const ReshardPlan &plan);

  /// What the device has whose place along `list`, one digit of the device's number, is larger by `shift`, from the
  /// last place on to the first.
  mlir::Value emitRotation(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value value, llvm::ArrayRef<AxisId> list,
                           int64_t shift);

private:
  /// A new channel.
  stablehlo::ChannelHandleAttr takeChannel(mlir::MLIRContext *context);
  mlir::Value emitStep(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value value, const PartialSharding &before,
                       const ReshardStep &step);
  /// This device's part of a value that is whole over `list`: splits `dim` further.
  mlir::Value emitAllSlice(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value value, int64_t dim,
                           llvm::ArrayRef<AxisId> list);
  /// The inverse: `list` are the minor axes of `dim`.
  mlir::Value emitAllGather(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value value, int64_t dim,
                            llvm::ArrayRef<AxisId> list);
  /// Moves axes from the minor end of `dim` to the minor end of `toDim`.
  mlir::Value emitAllToAll(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value value, int64_t dim, int64_t toDim,
                           llvm::ArrayRef<AxisId> list);
  /// The same in several steps (Cost/StepPrograms.h). `toDim` is first reshaped to a dim for each of them.
  mlir::Value emitExchange(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value value,
                           llvm::ArrayRef<ReshardStep> steps);
  /// From one sharding to another with the same local shape.
  mlir::Value emitPermute(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value value, const Sharding &from,
                          const Sharding &to);
  mlir::Value emitAllReduce(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value value,
                            llvm::ArrayRef<AxisId> list, Combiner combiner);
  /// Equals all-reduce, then all-slice.
  mlir::Value emitReduceScatter(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value value, int64_t dim,
                                llvm::ArrayRef<AxisId> list, Combiner combiner);

  int64_t getParts(llvm::ArrayRef<AxisId> list) const;
  mlir::Attribute getGroups(mlir::MLIRContext *context, llvm::ArrayRef<AxisId> list);
  mlir::Attribute getPairs(mlir::MLIRContext *context, const Sharding &from, const Sharding &to);

  const Axes &axes;
  DeviceIndex &index;
  int64_t nextChannel = 1;
  std::map<std::vector<AxisId>, mlir::Attribute> groups;
  std::map<std::pair<std::vector<DimAxes>, std::vector<DimAxes>>, mlir::Attribute> pairs;
};

} // namespace partita::lower

#endif
