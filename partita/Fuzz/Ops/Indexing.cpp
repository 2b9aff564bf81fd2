//===- Indexing.cpp - gather and scatter in full generality ---------------===//

#include "partita/Fuzz/Families.h"
#include "partita/Fuzz/Reducers.h"

#include "partita/Dialect/StableHlo/StableHlo.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace partita::fuzz {

namespace {

/// Random dimension numbers for gather and scatter: which windows of an operand the index vectors select.
struct RandomWindows {
  /// Sizes along the operand's dims.
  Shape window;
  Shape collapsed, operandBatch, indicesBatch, indexMap;
  int64_t vectorDim = 0;
  Shape indices;
  Shape result, offsetDims;
};

class WindowsDrawer {
public:
  WindowsDrawer(ProgramWriter &writer, ArrayRef<int64_t> operand) : writer(writer), operand(operand) {}

  RandomWindows draw() {
    drawPositions();
    drawIndexMap();
    drawWindow();
    placeVectors();
    placeResult();
    return std::move(windows);
  }

private:
  RandomChoice &random() { return writer.random; }

  /// Draws the batch dims of the indices, some of them shared with the operand.
  void drawPositions() {
    positions = writer.drawShape(0, 2, 24);
    Shape dims = writer.drawOrder(operand.size()), batchDims = writer.drawOrder(positions.size());
    size_t most = operand.empty() ? 0 : std::min(operand.size() - 1, positions.size());
    size_t shared = std::min<size_t>(random().pick({0, 0, 0, 1, 1, 2}), most);
    windows.operandBatch.assign(dims.begin(), dims.begin() + shared);
    windows.indicesBatch.assign(batchDims.begin(), batchDims.begin() + shared);
    llvm::sort(windows.operandBatch);
    for (auto [dim, batchDim] : llvm::zip_equal(windows.operandBatch, windows.indicesBatch))
      positions[batchDim] = operand[dim];
    for (int64_t dim : dims)
      if (!llvm::is_contained(windows.operandBatch, dim))
        rest.push_back(dim);
  }

  void drawIndexMap() {
    int64_t count = rest.empty() ? 0 : random().between(random().chance(10) ? 0 : 1, rest.size());
    windows.indexMap.assign(rest.begin(), rest.begin() + count);
  }

  void drawWindow() {
    for (auto [dim, size] : llvm::enumerate(operand)) {
      bool isIndexed = llvm::is_contained(windows.indexMap, static_cast<int64_t>(dim));
      int64_t some = random().between(std::min<int64_t>(size, 1), size);
      if (llvm::is_contained(windows.operandBatch, static_cast<int64_t>(dim)))
        windows.window.push_back(std::min<int64_t>(size, 1));
      else if (isIndexed)
        windows.window.push_back(std::min(size, random().chance(70) ? 1 : some));
      else
        windows.window.push_back(random().chance(85) ? size : some);
    }
    llvm::sort(rest);
    for (int64_t dim : rest)
      if (windows.window[dim] == 1 && random().chance(75))
        windows.collapsed.push_back(dim);
  }

  /// Draws the index vector dim. Vectors of one component may have none.
  void placeVectors() {
    windows.vectorDim = random().below(positions.size() + 1);
    windows.indices = positions;
    if (windows.indexMap.size() == 1 && random().chance(35)) {
      windows.vectorDim = positions.size();
      return;
    }
    windows.indices.insert(windows.indices.begin() + windows.vectorDim, windows.indexMap.size());
    for (int64_t &dim : windows.indicesBatch)
      dim += dim >= windows.vectorDim;
  }

  void placeResult() {
    Shape offsets;
    for (auto [dim, size] : llvm::enumerate(windows.window))
      if (!llvm::is_contained(windows.collapsed, static_cast<int64_t>(dim)) &&
          !llvm::is_contained(windows.operandBatch, static_cast<int64_t>(dim)))
        offsets.push_back(size);
    size_t rank = offsets.size() + positions.size();
    Shape order =
        random().chance(50) ? writer.drawOrder(rank) : llvm::to_vector(llvm::reverse(llvm::seq<int64_t>(rank)));
    windows.offsetDims.assign(order.begin(), order.begin() + offsets.size());
    llvm::sort(windows.offsetDims);
    const int64_t *offset = offsets.begin(), *position = positions.begin();
    for (size_t dim = 0; dim < rank; ++dim)
      windows.result.push_back(llvm::is_contained(windows.offsetDims, static_cast<int64_t>(dim)) ? *offset++
                                                                                                 : *position++);
  }

  ProgramWriter &writer;
  ArrayRef<int64_t> operand;
  RandomWindows windows;
  Shape positions, rest;
};

} // namespace

static bool isTooLarge(const RandomWindows &windows) {
  return ShapedType::getNumElements(windows.result) > ProgramWriter::maxResultElements || windows.result.size() > 6;
}

void writeGather(ProgramWriter &writer) {
  Value operand = writer.draw(Elements::Any, 1);
  RandomWindows windows = WindowsDrawer(writer, typeOf(operand).getShape()).draw();
  if (isTooLarge(windows))
    return;
  Value indices = writer.obtainIndex(windows.indices);
  auto numbers = stablehlo::GatherDimensionNumbersAttr::get(writer.builder.getContext(), windows.offsetDims,
                                                            windows.collapsed, windows.operandBatch,
                                                            windows.indicesBatch, windows.indexMap, windows.vectorDim);
  writer.emit("stablehlo.gather", {operand, indices}, typeOf(operand).clone(windows.result),
              {writer.attribute("dimension_numbers", numbers), writer.attribute("slice_sizes", windows.window),
               writer.boolean("indices_are_sorted", false)});
}

/// The update replaces the old element. Which of two updates of one element wins is undefined.
static RegionBody makeReplacement(ProgramWriter &writer, ArrayRef<Type> elements) {
  RegionBody body;
  for (size_t side = 0; side < 2; ++side)
    for (Type element : elements)
      body.arguments.push_back(writer.getScalar(element));
  body.write = [count = elements.size()](ValueRange scalars) { return Values(scalars.drop_front(count)); };
  return body;
}

void writeScatter(ProgramWriter &writer) {
  Value operand = writer.draw(Elements::Any, 1);
  RankedTensorType type = typeOf(operand);
  RandomWindows windows = WindowsDrawer(writer, type.getShape()).draw();
  if (isTooLarge(windows))
    return;
  if (writer.random.chance(30))
    operand = writer.zeros(type);
  SmallVector<Type> elements = {type.getElementType()};
  Values inputs = {operand}, updates = {writer.obtain(type.clone(windows.result))};
  if (writer.random.chance(15)) {
    elements.push_back(writer.drawElement(Elements::Any));
    inputs.push_back(writer.obtain(type.clone(elements.back())));
    updates.push_back(writer.obtain(writer.getType(windows.result, elements.back())));
  }
  Reducer reducer;
  for (Type element : elements)
    reducer.ops.push_back(drawCombiner(writer, element));
  bool replaces = !writer.getOptions().portable && writer.random.chance(20);
  Values operands = inputs;
  operands.push_back(writer.obtainIndex(windows.indices));
  operands.append(updates);
  auto numbers = stablehlo::ScatterDimensionNumbersAttr::get(writer.builder.getContext(), windows.offsetDims,
                                                             windows.collapsed, windows.operandBatch,
                                                             windows.indicesBatch, windows.indexMap, windows.vectorDim);
  for (Value result :
       writer.emit("stablehlo.scatter", operands, ValueRange(inputs).getTypes(),
                   {writer.attribute("scatter_dimension_numbers", numbers), writer.boolean("indices_are_sorted", false),
                    writer.boolean("unique_indices", false)},
                   replaces ? makeReplacement(writer, elements) : makeReducerBody(writer, reducer, elements)))
    writer.bound(result);
}

} // namespace partita::fuzz
