//===- Survey.cpp - finds which import steps have work --------------------===//

#include "partita/Dialect/Sdy/Sdy.h"
#include "partita/Dialect/StableHlo/StableHlo.h"
#include "partita/Program/Import/Steps.h"

#include "llvm/ADT/DenseMap.h"

using namespace mlir;

namespace partita::program::import {

namespace {

class Surveyor {
public:
  Survey survey;

  void visit(Operation *op);

private:
  void noteName(Operation *op);
  void noteAttributes(DictionaryAttr attributes);
  void noteTypes(TypeRange types) {
    for (Type type : types)
      survey.hasTuples |= isa<TupleType>(type);
  }

  llvm::DenseSet<OperationName> seen;
};

} // namespace

void Surveyor::noteName(Operation *op) {
  if (!seen.insert(op->getName()).second)
    return;
  survey.hasCalls |= isa<func::CallOp, stablehlo::CompositeOp>(op);
  survey.hasShardings |= isa<sdy::SdyDialect>(op->getDialect()) || isa<stablehlo::CustomCallOp>(op);
  survey.hasChannels |= mayHaveChannel(op);
  survey.hasDecomposable |= mayDecompose(op);
  survey.hasWindows |= mayTakePads(op);
}

void Surveyor::noteAttributes(DictionaryAttr attributes) {
  if (!attributes)
    return;
  for (NamedAttribute attribute : attributes) {
    StringRef name = attribute.getName();
    bool isCount = name == "mhlo.num_partitions" || name == "mhlo.num_replicas";
    survey.hasShardings |= name.starts_with("sdy.") || (name.starts_with("mhlo.") && !isCount);
  }
}

void Surveyor::visit(Operation *op) {
  noteName(op);
  noteAttributes(op->getRawDictionaryAttrs());
  noteTypes(op->getResultTypes());
  survey.hasWholeUpdates |= isWholeUpdate(op);
  survey.hasStaticUpdates = survey.hasStaticUpdates || isStaticUpdate(op);
  survey.hasJoinedRows = survey.hasJoinedRows || isJoinOfRows(op);
  if (auto function = dyn_cast<func::FuncOp>(op))
    for (ArrayAttr all : {function.getArgAttrsAttr(), function.getResAttrsAttr()})
      if (all)
        for (Attribute attributes : all)
          noteAttributes(dyn_cast<DictionaryAttr>(attributes));
  for (Region &region : op->getRegions())
    for (Block &block : region) {
      noteTypes(block.getArgumentTypes());
      for (Operation &inner : block)
        visit(&inner);
    }
}

Survey surveyProgram(ModuleOp module) {
  Surveyor surveyor;
  surveyor.visit(module);
  return surveyor.survey;
}

} // namespace partita::program::import
