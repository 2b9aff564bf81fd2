//===- RandomSharding.cpp - random shardings for a program ----------------===//

#include "partita/Fuzz/RandomSharding.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace partita::fuzz {

namespace {

/// An axis, or a part of one, that is not taken yet.
struct FreeAxis {
  sdy::AxisRefAttr ref;
  int64_t size;
};

} // namespace

/// Each axis once, as a whole or as one of its parts, in random order.
static SmallVector<FreeAxis> drawAxes(RandomChoice &random, const Mesh &mesh, MLIRContext *context) {
  SmallVector<FreeAxis> axes;
  for (const MeshAxis &axis : mesh.axes) {
    if (axis.size % 2 == 0 && axis.size > 2 && random.chance(20)) {
      bool isMajor = random.chance(50);
      int64_t size = isMajor ? 2 : axis.size / 2;
      axes.push_back({sdy::AxisRefAttr::get(context, axis.name, isMajor ? 1 : 2, size), size});
    } else {
      axes.push_back({sdy::AxisRefAttr::get(context, axis.name), axis.size});
    }
  }
  random.shuffle(axes);
  return axes;
}

sdy::TensorShardingAttr drawSharding(RandomChoice &random, const Mesh &mesh, ArrayRef<int64_t> shape,
                                     MLIRContext *context) {
  SmallVector<FreeAxis> axes = drawAxes(random, mesh, context);
  SmallVector<sdy::DimensionShardingAttr> dims;
  for (int64_t size : shape) {
    SmallVector<sdy::AxisRefAttr> taken;
    int64_t left = size;
    while (!axes.empty() && left > 0 && left % axes.back().size == 0 && random.chance(45)) {
      left /= axes.back().size;
      taken.push_back(axes.pop_back_val().ref);
    }
    std::optional<int64_t> priority;
    if (!taken.empty() && random.chance(20))
      priority = random.below(3);
    dims.push_back(sdy::DimensionShardingAttr::get(context, taken, random.chance(50), priority));
  }
  SmallVector<sdy::AxisRefAttr> replicated;
  if (!axes.empty() && random.chance(15))
    replicated.push_back(axes.back().ref);
  return sdy::TensorShardingAttr::get(context, FlatSymbolRefAttr::get(context, "mesh"), dims, replicated, {});
}

} // namespace partita::fuzz
