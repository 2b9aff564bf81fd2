//===- Attrs.td - how a loop's pieces become its result -------------------===//

#ifndef PARTITA_DIALECT_PART_ATTRS
#define PARTITA_DIALECT_PART_ATTRS

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "partita/Dialect/Part/Dialect.td"

class PartAttr<string name, string attrMnemonic> : AttrDef<Part_Dialect, name> {
  let mnemonic = attrMnemonic;
}

def Part_CombinerAttr : I32EnumAttr<"Combiner", "how partial results are combined", [
    I32EnumAttrCase<"Add", 1, "add">, I32EnumAttrCase<"Multiply", 2, "multiply">,
    I32EnumAttrCase<"Maximum", 3, "maximum">, I32EnumAttrCase<"Minimum", 4, "minimum">,
    I32EnumAttrCase<"And", 5, "and">, I32EnumAttrCase<"Or", 6, "or">, I32EnumAttrCase<"Xor", 7, "xor">]> {
  let cppNamespace = "::partita::part";
}

def Part_TileAttr : PartAttr<"Tile", "tile"> {
  let summary = "the pieces stand one after the other along a dim: tile<0>";
  let parameters = (ins "int64_t":$dim);
  let assemblyFormat = "`<` $dim `>`";
}

def Part_SumAttr : PartAttr<"Sum", "sum"> {
  let summary = "the pieces are combined: sum for add, sum<maximum>";
  let parameters = (ins DefaultValuedParameter<"Combiner", "Combiner::Add", "how">:$combiner);
  let assemblyFormat = "(`<` $combiner^ `>`)?";
}

def Part_AnyAttr : PartAttr<"Any", "any"> {
  let summary = "the pieces are all the same";
}

#endif
