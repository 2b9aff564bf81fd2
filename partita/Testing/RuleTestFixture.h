//===- RuleTestFixture.h - rules of ops written as text, for tests --------===//
//
// For tests of Program/Rules: a test gives the body of a function, and the last
// op before the return is the op under test.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_TESTING_RULETESTFIXTURE_H
#define PARTITA_TESTING_RULETESTFIXTURE_H

#include "partita/Dialect/AllDialects.h"
#include "partita/Program/Rules/Exchanges.h"
#include "partita/Program/Rules/Rules.h"
#include "partita/Testing/Rooms.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

namespace partita::fixtures {

class RuleTestFixture : public testing::Test {
protected:
  RuleTestFixture() : context(makeRegistry()) { context.loadAllAvailableDialects(); }

  /// The op of `body`, in a function of these arguments (`%x: tensor<4xf32>`); null if it does not parse.
  mlir::Operation *parse(const std::string &arguments, const std::string &body) {
    module = mlir::parseSourceString<mlir::ModuleOp>("func.func @main(" + arguments + ") {\n" + body + "\nreturn\n}",
                                                     &context);
    if (!module)
      return nullptr;
    auto function = *module->getOps<mlir::func::FuncOp>().begin();
    return function.getBody().front().getTerminator()->getPrevNode();
  }

  /// The op's rule as text, or the reason why it has none.
  std::string ruleOf(const std::string &arguments, const std::string &body, const UserRules &userRules = {}) {
    mlir::Operation *op = parse(arguments, body);
    if (!op)
      return "does not parse";
    Result<OpRule> rule = computeRule(op, userRules);
    return rule ? printRule(rule->rule) : rule.error().str();
  }

  /// The number of splits of one or two factors into two parts whose local op MLIR verifies, with the result types that
  /// follow from the rule; -1 if one fails.
  int countLocalForms(const std::string &arguments, const std::string &body) {
    mlir::Operation *op = parse(arguments, body);
    Result<OpRule> rule = op ? computeRule(op, {}) : Result<OpRule>(Error::internal("does not parse"));
    if (!rule)
      return -1;
    int count = 0;
    unsigned numFactors = rule->rule.factors.size();
    for (unsigned first = 0; first < numFactors; ++first)
      for (unsigned second = first; second < numFactors; ++second) {
        llvm::SmallVector<Split> splits{{static_cast<uint8_t>(first), 2, {}}};
        if (second != first)
          splits.push_back({static_cast<uint8_t>(second), 2, {}});
        if (!isValidSplit(rule->rule, splits))
          continue;
        if (!isLocalFormValid(op, rule->rule, splits))
          return -1;
        ++count;
      }
    return count;
  }

  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;

private:
  static mlir::DialectRegistry makeRegistry() {
    mlir::DialectRegistry registry;
    registerAllDialects(registry);
    return registry;
  }

  static mlir::Type getPieceType(mlir::Value value, const ValueFactors &factors, llvm::ArrayRef<Split> splits) {
    auto type = llvm::cast<mlir::RankedTensorType>(value.getType());
    return type.clone(computeLocalShape(type.getShape(), factors, splits));
  }

  static bool isLocalFormValid(mlir::Operation *op, const Rule &rule, llvm::SmallVector<Split> splits) {
    mlir::OwningOpRef<mlir::ModuleOp> local = mlir::ModuleOp::create(op->getLoc());
    mlir::OpBuilder builder(local->getBodyRegion());
    llvm::SmallVector<mlir::Type> types(splits.size(), mlir::RankedTensorType::get({}, builder.getI64Type()));
    for (auto [value, factors] : llvm::zip(op->getOperands(), rule.operands))
      types.push_back(getPieceType(value, factors, splits));
    auto function = mlir::func::FuncOp::create(builder, op->getLoc(), "local", builder.getFunctionType(types, {}));
    mlir::Block *body = function.addEntryBlock();
    builder.setInsertionPointToEnd(body);
    for (auto [index, split] : llvm::enumerate(splits))
      split.index = body->getArgument(index);
    auto pieces = emitLocal(builder, op, rule, body->getArguments().drop_front(splits.size()), splits);
    for (mlir::Operation &made : *body)
      if (findExchange(&made))
        setDevices(&made, {{0, 1}});
    mlir::func::ReturnOp::create(builder, op->getLoc());
    for (auto [result, factors, piece] : llvm::zip(op->getResults(), rule.results, pieces))
      if (piece.getType() != getPieceType(result, factors, splits))
        return false;
    return pieces.size() == op->getNumResults() && mlir::succeeded(mlir::verify(*local));
  }
};

} // namespace partita::fixtures

#endif
