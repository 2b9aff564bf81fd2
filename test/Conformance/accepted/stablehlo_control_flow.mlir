// accept: while_counter
func.func @main(%i: tensor<i32>, %x: tensor<4xf32>) {
  %n = stablehlo.constant dense<10> : tensor<i32>
  %0:2 = stablehlo.while(%p = %i, %q = %x) : tensor<i32>, tensor<4xf32>
   cond {
    %c = stablehlo.compare LT, %p, %n, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %r = stablehlo.add %p, %one : tensor<i32>
    %s = stablehlo.sine %q : tensor<4xf32>
    stablehlo.return %r, %s : tensor<i32>, tensor<4xf32>
  }
  return
}

// -----

// accept: while_attributes
func.func @main(%i: tensor<i32>, %x: tensor<4xf32>) {
  %0:2 = stablehlo.while(%p = %i, %q = %x) : tensor<i32>, tensor<4xf32> attributes {mhlo.frontend_attributes = {note = "x"}}
   cond {
    %c = stablehlo.compare LT, %p, %p : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    stablehlo.return %p, %q : tensor<i32>, tensor<4xf32>
  }
  return
}

// -----

// accept: while_no_operands
func.func @main(%c: tensor<i1>) {
  stablehlo.while()
   cond {
    stablehlo.return %c : tensor<i1>
  } do {
    stablehlo.return
  }
  return
}

// -----

// accept: while_token
func.func @main(%t: !stablehlo.token, %c: tensor<i1>) {
  %0 = stablehlo.while(%p = %t) : !stablehlo.token
   cond {
    stablehlo.return %c : tensor<i1>
  } do {
    %u = stablehlo.after_all %p, %p : !stablehlo.token
    stablehlo.return %u : !stablehlo.token
  }
  return
}

// -----

// accept: while_generic
func.func @main(%i: tensor<i32>, %x: tensor<4xf32>) {
  %0:2 = "stablehlo.while"(%i, %x) ({
  ^bb0(%p: tensor<i32>, %q: tensor<4xf32>):
    %c = stablehlo.compare LT, %p, %p : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }, {
  ^bb0(%p: tensor<i32>, %q: tensor<4xf32>):
    stablehlo.return %p, %q : tensor<i32>, tensor<4xf32>
  }) : (tensor<i32>, tensor<4xf32>) -> (tensor<i32>, tensor<4xf32>)
  return
}

// -----

// accept: while_nested
func.func @main(%i: tensor<i32>, %x: tensor<4xf32>) {
  %0 = stablehlo.while(%p = %i) : tensor<i32>
   cond {
    %c = stablehlo.compare LT, %p, %p : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %1 = stablehlo.while(%q = %p) : tensor<i32>
     cond {
      %c = stablehlo.compare GT, %q, %p : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    } do {
      stablehlo.return %q : tensor<i32>
    }
    stablehlo.return %1 : tensor<i32>
  }
  return
}

// -----

// accept: while_dynamic_shape
func.func @main(%x: tensor<?xf32>, %c: tensor<i1>) {
  %0 = stablehlo.while(%p = %x) : tensor<?xf32>
   cond {
    stablehlo.return %c : tensor<i1>
  } do {
    stablehlo.return %p : tensor<?xf32>
  }
  return
}

// -----

// accept: if_forms
func.func @main(%b: tensor<i1>, %x: tensor<4xf32>, %v: tensor<2xi1>, %i: tensor<i32>, %y: tensor<4xf64>) {
  %0 = "stablehlo.if"(%b) ({
    %r = stablehlo.negate %x : tensor<4xf32>
    stablehlo.return %r : tensor<4xf32>
  }, {
    stablehlo.return %x : tensor<4xf32>
  }) : (tensor<i1>) -> tensor<4xf32>
  "stablehlo.if"(%b) ({
    stablehlo.return
  }, {
    stablehlo.return
  }) : (tensor<i1>) -> ()
  %1:2 = "stablehlo.if"(%b) ({
    stablehlo.return %x, %i : tensor<4xf32>, tensor<i32>
  }, {
    stablehlo.return %x, %i : tensor<4xf32>, tensor<i32>
  }) : (tensor<i1>) -> (tensor<4xf32>, tensor<i32>)
  return
}

// -----

// accept: if_token
func.func @main(%b: tensor<i1>, %t: !stablehlo.token) {
  %0 = "stablehlo.if"(%b) ({
    stablehlo.return %t : !stablehlo.token
  }, {
    stablehlo.return %t : !stablehlo.token
  }) : (tensor<i1>) -> !stablehlo.token
  return
}

// -----

// accept: case_forms
func.func @main(%b: tensor<i1>, %x: tensor<4xf32>, %v: tensor<2xi1>, %i: tensor<i32>, %y: tensor<4xf64>) {
  %0 = "stablehlo.case"(%i) ({
    stablehlo.return %x : tensor<4xf32>
  }, {
    stablehlo.return %x : tensor<4xf32>
  }, {
    stablehlo.return %x : tensor<4xf32>
  }) : (tensor<i32>) -> tensor<4xf32>
  %1 = "stablehlo.case"(%i) ({
    stablehlo.return %x : tensor<4xf32>
  }) : (tensor<i32>) -> tensor<4xf32>
  "stablehlo.case"(%i) ({
    stablehlo.return
  }, {
    stablehlo.return
  }) : (tensor<i32>) -> ()
  return
}

// -----

// accept: optimization_barrier_forms
func.func @main(%x: tensor<4xf32>, %i: tensor<i32>, %t: !stablehlo.token) {
  %0:2 = stablehlo.optimization_barrier %x, %i : tensor<4xf32>, tensor<i32>
  %1 = stablehlo.optimization_barrier %x : tensor<4xf32>
  stablehlo.optimization_barrier ()
  %2:2 = "stablehlo.optimization_barrier"(%x, %t) : (tensor<4xf32>, !stablehlo.token) -> (tensor<4xf32>, !stablehlo.token)
  %3 = stablehlo.optimization_barrier {extra} %x : tensor<4xf32>
  return
}

// -----

// accept: tuple_forms
func.func @main(%x: tensor<4xf32>, %i: tensor<i32>, %t: !stablehlo.token) {
  %0 = stablehlo.tuple %x, %i : tuple<tensor<4xf32>, tensor<i32>>
  %1 = stablehlo.tuple %0, %t {extra} : tuple<tuple<tensor<4xf32>, tensor<i32>>, !stablehlo.token>
  %2 = "stablehlo.tuple"() : () -> tuple<>
  %3 = "stablehlo.tuple"(%x) : (tensor<4xf32>) -> tuple<tensor<4xf32>>
  %4 = stablehlo.get_tuple_element %1[0] : (tuple<tuple<tensor<4xf32>, tensor<i32>>, !stablehlo.token>) -> tuple<tensor<4xf32>, tensor<i32>>
  %5 = stablehlo.get_tuple_element %4[1] : (tuple<tensor<4xf32>, tensor<i32>>) -> tensor<i32>
  %6 = "stablehlo.get_tuple_element"(%4) <{index = 0 : i32}> : (tuple<tensor<4xf32>, tensor<i32>>) -> tensor<4xf32>
  return
}

// -----

// accept: after_all_forms
func.func @main(%t: !stablehlo.token) {
  %0 = stablehlo.create_token : !stablehlo.token
  %1 = stablehlo.after_all %t, %0 : !stablehlo.token
  %2 = stablehlo.after_all %t : !stablehlo.token
  %3 = "stablehlo.after_all"(%t, %t) : (!stablehlo.token, !stablehlo.token) -> !stablehlo.token
  %4 = "stablehlo.create_token"() : () -> !stablehlo.token
  %5 = stablehlo.create_token {extra} : !stablehlo.token
  %6 = "stablehlo.after_all"() : () -> !stablehlo.token
  return
}

// -----

// accept: call_forms
module @jit_f attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%a: tensor<4xf32> {mhlo.layout_mode = "default", tf.aliasing_output = 0 : i32}, %b: tensor<4xf32> {jax.buffer_donor = true}) -> (tensor<4xf32> {jax.result_info = "result[0]", mhlo.layout_mode = "default"}, tensor<4xf32> {jax.result_info = "result[1]"}) {
    %0 = call @f(%a) : (tensor<4xf32>) -> tensor<4xf32>
    %1:2 = func.call @g(%0, %b) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
    return %1#0, %1#1 : tensor<4xf32>, tensor<4xf32>
  }
  func.func private @f(%a: tensor<4xf32>) -> tensor<4xf32> {
    %0 = stablehlo.sine %a : tensor<4xf32>
    return %0 : tensor<4xf32>
  }
  func.func private @g(%a: tensor<4xf32>, %b: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
    return %b, %a : tensor<4xf32>, tensor<4xf32>
  }
  func.func private @declared(tensor<4xf32>) -> tensor<4xf32>
}

// -----

// accept: return_forms
func.func @main(%b: tensor<i1>, %x: tensor<4xf32>, %v: tensor<2xi1>, %i: tensor<i32>, %y: tensor<4xf64>) {
  %0 = "stablehlo.case"(%i) ({
    "stablehlo.return"(%x) {extra = 1 : i32} : (tensor<4xf32>) -> ()
  }, {
    stablehlo.return %x {extra} : tensor<4xf32>
  }) : (tensor<i32>) -> tensor<4xf32>
  "stablehlo.case"(%i) ({
    stablehlo.return {extra}
  }) : (tensor<i32>) -> ()
  return
}
