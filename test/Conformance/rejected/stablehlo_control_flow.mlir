// reject: while_cond_type (C1) condition is no boolean
func.func @main(%i: tensor<i32>, %x: tensor<4xf32>) {
  %0:2 = stablehlo.while(%p = %i, %q = %x) : tensor<i32>, tensor<4xf32>
   cond {
    stablehlo.return %p : tensor<i32>
  } do {
    stablehlo.return %p, %q : tensor<i32>, tensor<4xf32>
  }
  return
}

// -----

// reject: while_cond_rank (C1) condition is no scalar
func.func @main(%i: tensor<i32>, %x: tensor<4xf32>, %b: tensor<4xi1>) {
  %0:2 = stablehlo.while(%p = %i, %q = %x) : tensor<i32>, tensor<4xf32>
   cond {
    stablehlo.return %b : tensor<4xi1>
  } do {
    stablehlo.return %p, %q : tensor<i32>, tensor<4xf32>
  }
  return
}

// -----

// reject: while_cond_count (C1) condition returns two
func.func @main(%i: tensor<i32>, %x: tensor<4xf32>, %b: tensor<i1>) {
  %0:2 = stablehlo.while(%p = %i, %q = %x) : tensor<i32>, tensor<4xf32>
   cond {
    stablehlo.return %b, %b : tensor<i1>, tensor<i1>
  } do {
    stablehlo.return %p, %q : tensor<i32>, tensor<4xf32>
  }
  return
}

// -----

// reject: while_cond_argument (C1) condition argument type
func.func @main(%i: tensor<i32>, %x: tensor<4xf32>) {
  %0 = "stablehlo.while"(%i) ({
  ^bb0(%p: tensor<i64>):
    %c = stablehlo.constant dense<true> : tensor<i1>
    stablehlo.return %c : tensor<i1>
  }, {
  ^bb0(%p: tensor<i32>):
    stablehlo.return %i : tensor<i32>
  }) : (tensor<i32>) -> tensor<i32>
  return
}

// -----

// reject: while_cond_argument_count (C1) condition argument count
func.func @main(%i: tensor<i32>, %x: tensor<4xf32>) {
  %0 = "stablehlo.while"(%i) ({
  ^bb0(%p: tensor<i32>, %q: tensor<i32>):
    %c = stablehlo.constant dense<true> : tensor<i1>
    stablehlo.return %c : tensor<i1>
  }, {
  ^bb0(%p: tensor<i32>):
    stablehlo.return %i : tensor<i32>
  }) : (tensor<i32>) -> tensor<i32>
  return
}

// -----

// reject: while_body_argument (C2) body argument type
func.func @main(%i: tensor<i32>, %x: tensor<4xf32>) {
  %0 = "stablehlo.while"(%i) ({
  ^bb0(%p: tensor<i32>):
    %c = stablehlo.constant dense<true> : tensor<i1>
    stablehlo.return %c : tensor<i1>
  }, {
  ^bb0(%p: tensor<i64>):
    stablehlo.return %i : tensor<i32>
  }) : (tensor<i32>) -> tensor<i32>
  return
}

// -----

// reject: while_body_argument_count (C2) body argument count
func.func @main(%i: tensor<i32>, %x: tensor<4xf32>) {
  %0 = "stablehlo.while"(%i) ({
  ^bb0(%p: tensor<i32>):
    %c = stablehlo.constant dense<true> : tensor<i1>
    stablehlo.return %c : tensor<i1>
  }, {
  ^bb0(%p: tensor<i32>, %q: tensor<i32>):
    stablehlo.return %i : tensor<i32>
  }) : (tensor<i32>) -> tensor<i32>
  return
}

// -----

// reject: while_body_count (C2) body result count
func.func @main(%i: tensor<i32>, %x: tensor<4xf32>) {
  %0:2 = stablehlo.while(%p = %i, %q = %x) : tensor<i32>, tensor<4xf32>
   cond {
    %c = stablehlo.compare LT, %p, %p : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    stablehlo.return %p : tensor<i32>
  }
  return
}

// -----

// reject: while_body_type (C2) body result type
func.func @main(%i: tensor<i32>, %x: tensor<4xf32>) {
  %0:2 = stablehlo.while(%p = %i, %q = %x) : tensor<i32>, tensor<4xf32>
   cond {
    %c = stablehlo.compare LT, %p, %p : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    stablehlo.return %p, %p : tensor<i32>, tensor<i32>
  }
  return
}

// -----

// reject: while_result (C3) result type
func.func @main(%i: tensor<i32>, %x: tensor<4xf32>) {
  %0 = "stablehlo.while"(%i) ({
  ^bb0(%p: tensor<i32>):
    %c = stablehlo.constant dense<true> : tensor<i1>
    stablehlo.return %c : tensor<i1>
  }, {
  ^bb0(%p: tensor<i32>):
    stablehlo.return %i : tensor<i32>
  }) : (tensor<i32>) -> tensor<i64>
  return
}

// -----

// reject: while_result_count (C3) result count
func.func @main(%i: tensor<i32>, %x: tensor<4xf32>) {
  %0:2 = "stablehlo.while"(%i) ({
  ^bb0(%p: tensor<i32>):
    %c = stablehlo.constant dense<true> : tensor<i1>
    stablehlo.return %c : tensor<i1>
  }, {
  ^bb0(%p: tensor<i32>):
    stablehlo.return %i : tensor<i32>
  }) : (tensor<i32>) -> (tensor<i32>, tensor<i32>)
  return
}

// -----

// reject: while_type_count parse: two operands, one type
func.func @main(%i: tensor<i32>, %x: tensor<4xf32>) {
  %0:2 = stablehlo.while(%p = %i, %q = %x) : tensor<i32>
   cond {
    %c = stablehlo.compare LT, %p, %p : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    stablehlo.return %p, %q : tensor<i32>, tensor<4xf32>
  }
  return
}

// -----

// reject: while_no_cond parse: cond required
func.func @main(%i: tensor<i32>, %x: tensor<4xf32>) {
  %0:2 = stablehlo.while(%p = %i, %q = %x) : tensor<i32>, tensor<4xf32>
   do {
    stablehlo.return %p, %q : tensor<i32>, tensor<4xf32>
  }
  return
}

// -----

// reject: while_no_do parse: do required
func.func @main(%i: tensor<i32>, %x: tensor<4xf32>) {
  %0:2 = stablehlo.while(%p = %i, %q = %x) : tensor<i32>, tensor<4xf32>
   cond {
    %c = stablehlo.constant dense<true> : tensor<i1>
    stablehlo.return %c : tensor<i1>
  }
  return
}

// -----

// reject: while_plain_attributes parse: attributes keyword required
func.func @main(%i: tensor<i32>, %x: tensor<4xf32>) {
  %0:2 = stablehlo.while(%p = %i, %q = %x) : tensor<i32>, tensor<4xf32> {extra}
   cond {
    %c = stablehlo.compare LT, %p, %p : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    stablehlo.return %p, %q : tensor<i32>, tensor<4xf32>
  }
  return
}

// -----

// reject: while_missing_terminator terminator of another dialect
func.func @main(%i: tensor<i32>, %x: tensor<4xf32>) {
  %0:2 = stablehlo.while(%p = %i, %q = %x) : tensor<i32>, tensor<4xf32>
   cond {
    %c = stablehlo.compare LT, %p, %p : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    func.return %p, %q : tensor<i32>, tensor<4xf32>
  }
  return
}

// -----

// reject: if_pred_rank (I1) pred is no scalar
func.func @main(%b: tensor<i1>, %x: tensor<4xf32>, %v: tensor<2xi1>, %i: tensor<i32>, %y: tensor<4xf64>) {
  %0 = "stablehlo.if"(%v) ({
    stablehlo.return %x : tensor<4xf32>
  }, {
    stablehlo.return %x : tensor<4xf32>
  }) : (tensor<2xi1>) -> tensor<4xf32>
  return
}

// -----

// reject: if_pred_type (I1) pred is no boolean
func.func @main(%b: tensor<i1>, %x: tensor<4xf32>, %v: tensor<2xi1>, %i: tensor<i32>, %y: tensor<4xf64>) {
  %0 = "stablehlo.if"(%i) ({
    stablehlo.return %x : tensor<4xf32>
  }, {
    stablehlo.return %x : tensor<4xf32>
  }) : (tensor<i32>) -> tensor<4xf32>
  return
}

// -----

// reject: if_arguments (C1) branch with an argument
func.func @main(%b: tensor<i1>, %x: tensor<4xf32>, %v: tensor<2xi1>, %i: tensor<i32>, %y: tensor<4xf64>) {
  %0 = "stablehlo.if"(%b) ({
  ^bb0(%z: tensor<4xf32>):
    stablehlo.return %x : tensor<4xf32>
  }, {
    stablehlo.return %x : tensor<4xf32>
  }) : (tensor<i1>) -> tensor<4xf32>
  return
}

// -----

// reject: if_branch_types (C2) branch types differ
func.func @main(%b: tensor<i1>, %x: tensor<4xf32>, %v: tensor<2xi1>, %i: tensor<i32>, %y: tensor<4xf64>) {
  %0 = "stablehlo.if"(%b) ({
    stablehlo.return %x : tensor<4xf32>
  }, {
    stablehlo.return %y : tensor<4xf64>
  }) : (tensor<i1>) -> tensor<4xf32>
  return
}

// -----

// reject: if_branch_counts (C2) branch result counts differ
func.func @main(%b: tensor<i1>, %x: tensor<4xf32>, %v: tensor<2xi1>, %i: tensor<i32>, %y: tensor<4xf64>) {
  %0 = "stablehlo.if"(%b) ({
    stablehlo.return %x : tensor<4xf32>
  }, {
    stablehlo.return %x, %x : tensor<4xf32>, tensor<4xf32>
  }) : (tensor<i1>) -> tensor<4xf32>
  return
}

// -----

// reject: if_result (C3) result type
func.func @main(%b: tensor<i1>, %x: tensor<4xf32>, %v: tensor<2xi1>, %i: tensor<i32>, %y: tensor<4xf64>) {
  %0 = "stablehlo.if"(%b) ({
    stablehlo.return %x : tensor<4xf32>
  }, {
    stablehlo.return %x : tensor<4xf32>
  }) : (tensor<i1>) -> tensor<4xf64>
  return
}

// -----

// reject: if_result_count (C3) result count
func.func @main(%b: tensor<i1>, %x: tensor<4xf32>, %v: tensor<2xi1>, %i: tensor<i32>, %y: tensor<4xf64>) {
  "stablehlo.if"(%b) ({
    stablehlo.return %x : tensor<4xf32>
  }, {
    stablehlo.return %x : tensor<4xf32>
  }) : (tensor<i1>) -> ()
  return
}

// -----

// reject: if_one_region one region
func.func @main(%b: tensor<i1>, %x: tensor<4xf32>, %v: tensor<2xi1>, %i: tensor<i32>, %y: tensor<4xf64>) {
  %0 = "stablehlo.if"(%b) ({
    stablehlo.return %x : tensor<4xf32>
  }) : (tensor<i1>) -> tensor<4xf32>
  return
}

// -----

// reject: case_no_branches (C1) no branches
func.func @main(%b: tensor<i1>, %x: tensor<4xf32>, %v: tensor<2xi1>, %i: tensor<i32>, %y: tensor<4xf64>) {
  %0 = "stablehlo.case"(%i) : (tensor<i32>) -> tensor<4xf32>
  return
}

// -----

// reject: case_arguments (C2) branch with an argument
func.func @main(%b: tensor<i1>, %x: tensor<4xf32>, %v: tensor<2xi1>, %i: tensor<i32>, %y: tensor<4xf64>) {
  %0 = "stablehlo.case"(%i) ({
  ^bb0(%z: tensor<4xf32>):
    stablehlo.return %x : tensor<4xf32>
  }) : (tensor<i32>) -> tensor<4xf32>
  return
}

// -----

// reject: case_branch_types (C3) branch types differ
func.func @main(%b: tensor<i1>, %x: tensor<4xf32>, %v: tensor<2xi1>, %i: tensor<i32>, %y: tensor<4xf64>) {
  %0 = "stablehlo.case"(%i) ({
    stablehlo.return %x : tensor<4xf32>
  }, {
    stablehlo.return %x : tensor<4xf32>
  }, {
    stablehlo.return %y : tensor<4xf64>
  }) : (tensor<i32>) -> tensor<4xf32>
  return
}

// -----

// reject: case_result (C4) result type
func.func @main(%b: tensor<i1>, %x: tensor<4xf32>, %v: tensor<2xi1>, %i: tensor<i32>, %y: tensor<4xf64>) {
  %0 = "stablehlo.case"(%i) ({
    stablehlo.return %x : tensor<4xf32>
  }, {
    stablehlo.return %x : tensor<4xf32>
  }, {
    stablehlo.return %x : tensor<4xf32>
  }) : (tensor<i32>) -> tensor<5xf32>
  return
}

// -----

// reject: case_index_type (I1) index of i64
func.func @main(%b: tensor<i1>, %x: tensor<4xf32>, %v: tensor<2xi1>, %i: tensor<i32>, %y: tensor<4xf64>, %l: tensor<i64>) {
  %0 = "stablehlo.case"(%l) ({
    stablehlo.return %x : tensor<4xf32>
  }, {
    stablehlo.return %x : tensor<4xf32>
  }, {
    stablehlo.return %x : tensor<4xf32>
  }) : (tensor<i64>) -> tensor<4xf32>
  return
}

// -----

// reject: case_index_rank (I1) index is no scalar
func.func @main(%b: tensor<i1>, %x: tensor<4xf32>, %v: tensor<2xi1>, %i: tensor<i32>, %y: tensor<4xf64>, %l: tensor<1xi32>) {
  %0 = "stablehlo.case"(%l) ({
    stablehlo.return %x : tensor<4xf32>
  }, {
    stablehlo.return %x : tensor<4xf32>
  }, {
    stablehlo.return %x : tensor<4xf32>
  }) : (tensor<1xi32>) -> tensor<4xf32>
  return
}

// -----

// reject: optimization_barrier_type (C1) result type
func.func @main(%x: tensor<4xf32>) {
  %0 = "stablehlo.optimization_barrier"(%x) : (tensor<4xf32>) -> tensor<5xf32>
  return
}

// -----

// reject: optimization_barrier_count (C1) result count
func.func @main(%x: tensor<4xf32>) {
  %0:2 = "stablehlo.optimization_barrier"(%x) : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  return
}

// -----

// reject: optimization_barrier_parse parse: types per operand
func.func @main(%x: tensor<4xf32>) {
  %0:2 = stablehlo.optimization_barrier %x, %x : tensor<4xf32>
  return
}

// -----

// reject: tuple_type (C1) element type
func.func @main(%x: tensor<4xf32>) {
  %0 = "stablehlo.tuple"(%x) : (tensor<4xf32>) -> tuple<tensor<5xf32>>
  return
}

// -----

// reject: tuple_count (C1) element count
func.func @main(%x: tensor<4xf32>) {
  %0 = "stablehlo.tuple"(%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tuple<tensor<4xf32>>
  return
}

// -----

// reject: tuple_no_tuple_type parse: tuple type required
func.func @main(%x: tensor<4xf32>) {
  %0 = stablehlo.tuple %x : tensor<4xf32>
  return
}

// -----

// reject: get_tuple_element_range (C1) index out of range
func.func @main(%x: tuple<tensor<4xf32>>) {
  %0 = stablehlo.get_tuple_element %x[1] : (tuple<tensor<4xf32>>) -> tensor<4xf32>
  return
}

// -----

// reject: get_tuple_element_negative (C1) index negative
func.func @main(%x: tuple<tensor<4xf32>>) {
  %0 = stablehlo.get_tuple_element %x[-1] : (tuple<tensor<4xf32>>) -> tensor<4xf32>
  return
}

// -----

// reject: get_tuple_element_type (C2) result type
func.func @main(%x: tuple<tensor<4xf32>>) {
  %0 = stablehlo.get_tuple_element %x[0] : (tuple<tensor<4xf32>>) -> tensor<4xf64>
  return
}

// -----

// reject: get_tuple_element_operand (I1) operand is no tuple
func.func @main(%x: tensor<4xf32>) {
  %0 = stablehlo.get_tuple_element %x[0] : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// reject: after_all_operand (I1) operand is no token
func.func @main(%x: tensor<i32>) {
  %0 = "stablehlo.after_all"(%x) : (tensor<i32>) -> !stablehlo.token
  return
}

// -----

// reject: after_all_result (O1) result is no token
func.func @main(%t: !stablehlo.token) {
  %0 = "stablehlo.after_all"(%t) : (!stablehlo.token) -> tensor<i32>
  return
}

// -----

// reject: create_token_result (O1) result is no token
func.func @main() {
  %0 = stablehlo.create_token : tensor<i32>
  return
}

// -----

// reject: return_outside return without a region of the dialect
func.func @main(%x: tensor<i32>) {
  stablehlo.return %x : tensor<i32>
  return
}

// -----

// reject: call_unknown callee not found
func.func @main(%x: tensor<i32>) {
  %0 = func.call @nowhere(%x) : (tensor<i32>) -> tensor<i32>
  return
}

// -----

// reject: call_type callee type
func.func private @f(tensor<i64>) -> tensor<i32>
func.func @main(%x: tensor<i32>) {
  %0 = call @f(%x) : (tensor<i32>) -> tensor<i32>
  return
}

// -----

// reject: return_count function result count
func.func @main(%x: tensor<i32>) -> tensor<i32> {
  return
}

// -----

// reject: return_type function result type
func.func @main(%x: tensor<i32>) -> tensor<i64> {
  return %x : tensor<i32>
}

// -----

// reject: return_type_count parse: types per operand
func.func @main(%b: tensor<i1>, %x: tensor<4xf32>, %v: tensor<2xi1>, %i: tensor<i32>, %y: tensor<4xf64>) {
  %0 = "stablehlo.case"(%i) ({
    stablehlo.return %x : tensor<4xf32>
  }, {
    stablehlo.return %x : tensor<4xf32>
  }, {
    stablehlo.return %x : tensor<4xf32>, tensor<4xf32>
  }) : (tensor<i32>) -> tensor<4xf32>
  return
}

// -----

// reject: if_missing_terminator region without terminator
func.func @main(%b: tensor<i1>, %x: tensor<4xf32>, %v: tensor<2xi1>, %i: tensor<i32>, %y: tensor<4xf64>) {
  %0 = "stablehlo.if"(%b) ({
    %r = stablehlo.negate %x : tensor<4xf32>
  }, {
    stablehlo.return %x : tensor<4xf32>
  }) : (tensor<i1>) -> tensor<4xf32>
  return
}
