//===- Attrs.td - enums and attributes of the sdy dialect -----------------===//
//
// From the bottom up: axes and meshes, shardings of dims and tensors, sharding
// rules of ops, parameters of collectives, and the record that propagation
// leaves behind. An attribute verifies here what concerns it alone. What
// depends on a mesh or a tensor is verified where the attribute is used.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_DIALECT_SDY_ATTRS
#define PARTITA_DIALECT_SDY_ATTRS

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "partita/Dialect/Sdy/Dialect.td"

class SdyAttr<string name, string attrMnemonic> : AttrDef<Sdy_Dialect, name> {
  let mnemonic = attrMnemonic;
}

class SdyList<string name, string attrMnemonic, string element> : ArrayOfAttr<Sdy_Dialect, name, attrMnemonic, element>;

class SdyEnum<string name, string summary, list<I32EnumAttrCase> cases> : I32EnumAttr<name, summary, cases> {
  let cppNamespace = "::partita::sdy";
}

//===----------------------------------------------------------------------===//
// Enums: stored as plain i32
//===----------------------------------------------------------------------===//

def PropagationDirectionAttr : SdyEnum<"PropagationDirection", "ways in which a sharding may pass an op", [
  I32EnumAttrCase<"NONE", 0>, I32EnumAttrCase<"FORWARD", 1>,
  I32EnumAttrCase<"BACKWARD", 2>, I32EnumAttrCase<"BOTH", 3>]>;

def EdgeNodeTypeAttr : SdyEnum<"EdgeNodeType", "which end of an op a value is", [
  I32EnumAttrCase<"OPERAND", 0, "operand">, I32EnumAttrCase<"RESULT", 1, "result">]>;

//===----------------------------------------------------------------------===//
// Axes and meshes
//===----------------------------------------------------------------------===//

def MeshAxisAttr : SdyAttr<"MeshAxis", "mesh_axis"> {
  let summary = "a named axis and its size: \"x\"=4";
  let parameters = (ins StringRefParameter<"axis name">:$name, "int64_t":$size);
  let assemblyFormat = "`` $name `` `=` `` $size";
  let genVerifyDecl = 1;
}

def MeshAttr : SdyAttr<"Mesh", "mesh"> {
  let summary = "a mesh of devices: <[\"x\"=2, \"y\"=2], device_ids=[0, 2, 1, 3]>";
  let parameters = (ins
    OptionalArrayRefParameter<"MeshAxisAttr", "axes, major to minor">:$axes,
    OptionalArrayRefParameter<"int64_t", "order of devices; empty: 0, 1, 2, ...">:$device_ids);
  let assemblyFormat = "`<` `[` (`]`) : ($axes^ `]`)? (`,` `device_ids` `` `=` `` `[` $device_ids^ `]`)? `>`";
  let genVerifyDecl = 1;
  let skipDefaultBuilders = 1;
  let builders = [
    /// Device ids in their natural order are left out.
    AttrBuilder<(ins "::llvm::ArrayRef<MeshAxisAttr>":$axes,
                     CArg<"::llvm::ArrayRef<int64_t>", "{}">:$deviceIds), [{
      return $_get($_ctxt, axes, isNaturalOrder(axes, deviceIds) ? ::llvm::ArrayRef<int64_t>() : deviceIds);
    }]>];
  let extraClassDeclaration = [{
    /// No axes and no device: a mesh still to be chosen.
    bool empty() const { return getAxes().empty() && getDeviceIds().empty(); }
    /// No axes and one device: a value with this mesh lives on that device alone.
    bool isMaximal() const { return getAxes().empty() && getDeviceIds().size() == 1; }
    bool hasAxis(::llvm::StringRef name) const { return findAxisSize(name).has_value(); }
    /// The size of the axis, nothing if the mesh has no such axis.
    std::optional<int64_t> findAxisSize(::llvm::StringRef name) const;
    /// The size of an axis that the mesh has.
    int64_t getAxisSize(::llvm::StringRef name) const;
    /// The index of the axis in the mesh; the number of axes if it is not there.
    size_t getAxisIndex(::llvm::StringRef name) const;
    /// The number of devices.
    int64_t getTotalSize() const;
    /// Whether `deviceIds` is the natural order, so that the list can be left out.
    static bool isNaturalOrder(::llvm::ArrayRef<MeshAxisAttr> axes, ::llvm::ArrayRef<int64_t> deviceIds);
  }];
}

def SubAxisInfoAttr : SdyAttr<"SubAxisInfo", "sub_axis_info"> {
  let summary = "a digit of an axis: (pre-size)size";
  let parameters = (ins "int64_t":$pre_size, "int64_t":$size);
  let assemblyFormat = "`(` $pre_size `)` `` $size";
  let extraClassDeclaration = [{
    /// The pre-size of the sub-axis that follows: pre-size times size.
    int64_t getNextPreSize() const;
  }];
}

def AxisRefAttr : SdyAttr<"AxisRef", "axis_ref"> {
  let summary = "a mesh axis or a part of one: \"x\" or \"x\":(2)4";
  let parameters = (ins
    StringRefParameter<"axis name">:$name, OptionalParameter<"SubAxisInfoAttr", "which part">:$sub_axis_info);
  let assemblyFormat = "`` $name (`` `:` `` $sub_axis_info^)?";
  let builders = [
    AttrBuilder<(ins "::llvm::StringRef":$name), [{ return $_get($_ctxt, name, SubAxisInfoAttr()); }]>,
    AttrBuilder<(ins "::llvm::StringRef":$name, "int64_t":$preSize, "int64_t":$size), [{
      return $_get($_ctxt, name, SubAxisInfoAttr::get($_ctxt, preSize, size));
    }]>];
  let extraClassDeclaration = [{
    bool isSubAxis() const { return static_cast<bool>(getSubAxisInfo()); }
    /// 1 for a full axis.
    int64_t getPreSize() const { return isSubAxis() ? getSubAxisInfo().getPreSize() : 1; }
    /// The number of pieces it makes. A full axis must be one of `mesh`.
    int64_t getSize(MeshAttr mesh) const;
    /// Pre-size times size.
    int64_t getNextPreSize(MeshAttr mesh) const;
  }];
}

//===----------------------------------------------------------------------===//
// Shardings
//===----------------------------------------------------------------------===//

def AxisRefs : OptionalArrayRefParameter<"AxisRefAttr", "axes, major to minor">;

def DimensionShardingAttr : SdyAttr<"DimensionSharding", "dimension_sharding"> {
  let summary = "the axes that cut a dim: {\"x\", ?}p1";
  let description = [{ An open dim, marked `?`, may be cut further; a lower priority is propagated first. }];
  let parameters = (ins AxisRefs:$axes, "bool":$is_closed, OptionalParameter<"std::optional<int64_t>">:$priority);
  let hasCustomAssemblyFormat = 1;
  let builders = [
    AttrBuilder<(ins "::llvm::ArrayRef<AxisRefAttr>":$axes, "bool":$isClosed), [{
      return $_get($_ctxt, axes, isClosed, std::nullopt);
    }]>];
  let extraClassDeclaration = [{
    /// The number of pieces of the dim.
    int64_t getShardedSize(MeshAttr mesh) const;
  }];
}

def TensorShardingAttr : SdyAttr<"TensorSharding", "sharding"> {
  let summary = "how a tensor lies on a mesh: <@mesh, [{\"x\"}, {?}], replicated={\"y\"}, unreduced={\"z\"}>";
  let description = [{
    Each device holds its piece of every dim. Axes that are not named may still be used (in open dims);
    replicated ones may not. Along unreduced axes the devices hold terms of a sum yet to be taken.
  }];
  let parameters = (ins
    AttrParameter<"::mlir::Attribute", "a MeshAttr or the FlatSymbolRefAttr of a mesh op">:$mesh_or_ref,
    OptionalArrayRefParameter<"DimensionShardingAttr">:$dim_shardings,
    AxisRefs:$replicated_axes, AxisRefs:$unreduced_axes);
  let assemblyFormat = [{
    `<` custom<MeshOrRef>($mesh_or_ref) `,` `[` (`]`) : ($dim_shardings^ `]`)? ``
    custom<NamedAxes>($replicated_axes, $unreduced_axes) `>`
  }];
  let builders = [
    AttrBuilder<(ins "::llvm::StringRef":$mesh, "::llvm::ArrayRef<DimensionShardingAttr>":$dims,
                     CArg<"::llvm::ArrayRef<AxisRefAttr>", "{}">:$replicated,
                     CArg<"::llvm::ArrayRef<AxisRefAttr>", "{}">:$unreduced), [{
      return $_get($_ctxt, ::mlir::FlatSymbolRefAttr::get($_ctxt, mesh), dims, replicated, unreduced);
    }]>];
  let extraClassDeclaration = [{
    int64_t getRank() const { return getDimShardings().size(); }
    DimensionShardingAttr getDimSharding(int64_t dim) const { return getDimShardings()[dim]; }
    /// The mesh if it is written out in the sharding, else null.
    MeshAttr getInlineMesh() const { return ::llvm::dyn_cast<MeshAttr>(getMeshOrRef()); }
    /// The symbol of the mesh, null if the mesh is written out.
    ::mlir::FlatSymbolRefAttr getMeshSymbol() const {
      return ::llvm::dyn_cast<::mlir::FlatSymbolRefAttr>(getMeshOrRef());
    }
    /// No dim is split. Axes may still be unreduced.
    bool isFullyReplicated() const;
    /// Dims, replicated and unreduced axes in this order.
    ::llvm::SmallVector<AxisRefAttr> getAllAxes() const;
    /// A sharding that splits no dim. `isClosed` says whether propagation may split the dims later.
    static TensorShardingAttr getReplicated(::mlir::Attribute meshOrRef, int64_t rank, bool isClosed);
  }];
}

def TensorShardingPerValueAttr : SdyAttr<"TensorShardingPerValue", "sharding_per_value"> {
  let summary = "one sharding for each operand or each result of an op";
  let parameters = (ins OptionalArrayRefParameter<"TensorShardingAttr">:$shardings);
  let assemblyFormat = "`<` `[` (`]`) : ($shardings^ `]`)? `>`";
  let extraClassDeclaration = [{
    int64_t size() const { return getShardings().size(); }
    /// The sharding of the value, null if the list is too short for it.
    TensorShardingAttr getSharding(int64_t index) const {
      return index >= 0 && index < size() ? getShardings()[index] : TensorShardingAttr();
    }
  }];
}

//===----------------------------------------------------------------------===//
// Sharding rules: which dims of an op's operands and results go together
//===----------------------------------------------------------------------===//

def DimMappingAttr : SdyAttr<"DimMapping", "dim_mapping"> {
  let summary = "the factors of which a dim is the product, major to minor: ij";
  let parameters = (ins OptionalArrayRefParameter<"int64_t">:$factor_indices);
  let hasCustomAssemblyFormat = 1;
}

def TensorMappingAttr : SdyAttr<"TensorMapping", "tensor_mapping"> {
  let summary = "the factors of a tensor's dims: [ij, k]";
  let parameters = (ins OptionalArrayRefParameter<"DimMappingAttr">:$dim_mappings);
  let assemblyFormat = "`` `[` (`]`) : ($dim_mappings^ `]`)? ``";
  let extraClassDeclaration = [{
    int64_t getRank() const { return getDimMappings().size(); }
    bool containsFactor(int64_t factor) const;
  }];
}

def OpShardingRuleAttr : SdyAttr<"OpShardingRule", "op_sharding_rule"> {
  let summary = "factors of an op: <([i, k], [k, j])->([i, j]) {i=8, j=16, k=4} reduction={k}>";
  let description = [{
    Along a reduction factor partial results must be summed; a need-replication factor must not be cut;
    a permutation factor needs an exchange with neighbours where it is cut. Others pass through.
  }];
  let parameters = (ins
    OptionalArrayRefParameter<"int64_t">:$factor_sizes,
    OptionalArrayRefParameter<"TensorMappingAttr">:$operand_mappings,
    OptionalArrayRefParameter<"TensorMappingAttr">:$result_mappings,
    OptionalArrayRefParameter<"int64_t">:$reduction_factors,
    OptionalArrayRefParameter<"int64_t">:$need_replication_factors,
    OptionalArrayRefParameter<"int64_t">:$permutation_factors,
    OptionalArrayRefParameter<"int64_t">:$blocked_propagation_factors,
    DefaultValuedParameter<"bool", "false", "written by the user">:$is_custom_rule);
  let assemblyFormat = [{
    `<` `(` $operand_mappings `)` `` `->` `` `(` $result_mappings `)` ``
    custom<FactorSizes>($factor_sizes) ``
    custom<FactorSet>($reduction_factors, "\"reduction\"") ``
    custom<FactorSet>($need_replication_factors, "\"need_replication\"") ``
    custom<FactorSet>($permutation_factors, "\"permutation\"") ``
    custom<FactorSet>($blocked_propagation_factors, "\"blocked_propagation\"") ``
    custom<CustomRuleMark>($is_custom_rule) `>`
  }];
  let extraClassDeclaration = [{
    int64_t getNumFactors() const { return getFactorSizes().size(); }
    int64_t getFactorSize(int64_t factor) const { return getFactorSizes()[factor]; }
    bool isReductionFactor(int64_t factor) const { return ::llvm::is_contained(getReductionFactors(), factor); }
    bool isNeedReplicationFactor(int64_t factor) const {
      return ::llvm::is_contained(getNeedReplicationFactors(), factor);
    }
    bool isPermutationFactor(int64_t factor) const { return ::llvm::is_contained(getPermutationFactors(), factor); }
    bool isBlockedPropagationFactor(int64_t factor) const {
      return ::llvm::is_contained(getBlockedPropagationFactors(), factor);
    }
  }];
}

//===----------------------------------------------------------------------===//
// Parameters of ops
//===----------------------------------------------------------------------===//

def ManualAxesAttr : SdyList<"ManualAxes", "manual_axes", "::mlir::StringAttr"> {
  let summary = "the axes along which a body is written for one device";
  let assemblyFormat = "`{` (`}`) : ($value^ `` `}`)?";
}

def AxisRefListAttr : SdyList<"AxisRefList", "axis_ref_list", "AxisRefAttr"> {
  let assemblyFormat = "`{` (`}`) : ($value^ `` `}`)?";
}

def ListOfAxisRefListsAttr : SdyList<"ListOfAxisRefLists", "list_of_axis_ref_lists", "AxisRefListAttr"> {
  let summary = "one list of axes for each dim";
}

def AllToAllParamAttr : SdyAttr<"AllToAllParam", "all_to_all_param"> {
  let summary = "axes that move from one dim to another: {\"x\"}: 0->1";
  let parameters = (ins ArrayRefParameter<"AxisRefAttr">:$axes, "int64_t":$src_dim, "int64_t":$tgt_dim);
  let assemblyFormat = "`` `{` $axes `}` `` `:` $src_dim `` `->` `` $tgt_dim";
}

def AllToAllParamListAttr : SdyList<"AllToAllParamList", "all_to_all_param_list", "AllToAllParamAttr">;

//===----------------------------------------------------------------------===//
// Propagation's record of where the axes of a value came from
//===----------------------------------------------------------------------===//

def EdgeValueRefAttr : SdyAttr<"EdgeValueRef", "edge_value_ref"> {
  let summary = "an operand or a result of the op that carries the record: operand-0";
  let parameters = (ins EnumParameter<EdgeNodeTypeAttr>:$type, "int64_t":$index);
  let hasCustomAssemblyFormat = 1;
}

def AxisToPropagationDetailsAttr : SdyAttr<"AxisToPropagationDetails", "axis_to_propagation_details"> {
  let summary = "an axis went from one value to others: {\"x\" = operand-0 -> [result-0]}";
  let parameters = (ins "AxisRefAttr":$axis_name, "EdgeValueRefAttr":$source,
                        ArrayRefParameter<"EdgeValueRefAttr">:$targets);
  let assemblyFormat = "`{` $axis_name `=` $source `->` `[` `` $targets `]` `}`";
}

def PropagationOneStepAttr : SdyAttr<"PropagationOneStep", "propagation_one_step"> {
  let summary = "what one step did: {step-3 = [...]}";
  let parameters = (ins "int64_t":$step_index, ArrayRefParameter<"AxisToPropagationDetailsAttr">:$axis_entries);
  let hasCustomAssemblyFormat = 1;
}

def PropagationEdgesAttr : SdyList<"PropagationEdges", "propagation_edges", "PropagationOneStepAttr"> {
  let assemblyFormat = "`<` `[` $value `]` `>`";
  let genVerifyDecl = 1;
}

#endif
