// One block of a transformer: layer norm, attention over five heads,
// layer norm, two linear layers with GELU between, residual sums. linalg
// on tensors; the weights are arguments, the norms' elided constants.
module {
  func.func @block(
      %x: tensor<119x240xf32>,
      %query_weights: tensor<240x240xf32>,
      %query_bias: tensor<240xf32>,
      %key_weights: tensor<240x240xf32>,
      %key_bias: tensor<240xf32>,
      %value_weights: tensor<240x240xf32>,
      %value_bias: tensor<240xf32>,
      %output_weights: tensor<240x240xf32>,
      %output_bias: tensor<240xf32>,
      %up_weights: tensor<240x960xf32>,
      %up_bias: tensor<960xf32>,
      %down_weights: tensor<960x240xf32>,
      %down_bias: tensor<240xf32>) -> tensor<119x240xf32> {
    %v0 = arith.constant 0.000000000e+00 : f32
    %v1 = tensor.empty() : tensor<119xf32>
    %v2 = linalg.fill ins(%v0 : f32) outs(%v1 : tensor<119xf32>) -> tensor<119xf32>
    %v3 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<119x240xf32>) outs(%v2 : tensor<119xf32>) {
    ^bb0(%a0: f32, %out: f32):
      %r = arith.addf %out, %a0 : f32
      linalg.yield %r : f32
    } -> tensor<119xf32>
    %v4 = tensor.empty() : tensor<119xf32>
    %v5 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%v3 : tensor<119xf32>) outs(%v4 : tensor<119xf32>) {
    ^bb0(%a0: f32, %out: f32):
      %n = arith.constant 4.166666667e-03 : f32
      %r = arith.mulf %a0, %n : f32
      linalg.yield %r : f32
    } -> tensor<119xf32>
    %v6 = tensor.empty() : tensor<119x240xf32>
    %v7 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%x, %v5 : tensor<119x240xf32>, tensor<119xf32>) outs(%v6 : tensor<119x240xf32>) {
    ^bb0(%a0: f32, %a1: f32, %out: f32):
      %r = arith.subf %a0, %a1 : f32
      linalg.yield %r : f32
    } -> tensor<119x240xf32>
    %v8 = arith.constant 0.000000000e+00 : f32
    %v9 = tensor.empty() : tensor<119xf32>
    %v10 = linalg.fill ins(%v8 : f32) outs(%v9 : tensor<119xf32>) -> tensor<119xf32>
    %v11 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]} ins(%v7 : tensor<119x240xf32>) outs(%v10 : tensor<119xf32>) {
    ^bb0(%a0: f32, %out: f32):
      %m = arith.mulf %a0, %a0 : f32
      %r = arith.addf %out, %m : f32
      linalg.yield %r : f32
    } -> tensor<119xf32>
    %v12 = tensor.empty() : tensor<119xf32>
    %v13 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%v11 : tensor<119xf32>) outs(%v12 : tensor<119xf32>) {
    ^bb0(%a0: f32, %out: f32):
      %n = arith.constant 4.166666667e-03 : f32
      %m = arith.mulf %a0, %n : f32
      %e = arith.constant 1.0e-5 : f32
      %s = arith.addf %m, %e : f32
      %r = math.rsqrt %s : f32
      linalg.yield %r : f32
    } -> tensor<119xf32>
    %v14 = arith.constant dense_resource<__elided__> : tensor<240xf32>
    %v15 = arith.constant dense_resource<__elided__> : tensor<240xf32>
    %v16 = tensor.empty() : tensor<119x240xf32>
    %v17 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%v7, %v13, %v14, %v15 : tensor<119x240xf32>, tensor<119xf32>, tensor<240xf32>, tensor<240xf32>) outs(%v16 : tensor<119x240xf32>) {
    ^bb0(%a0: f32, %a1: f32, %a2: f32, %a3: f32, %out: f32):
      %m = arith.mulf %a0, %a1 : f32
      %g = arith.mulf %m, %a2 : f32
      %r = arith.addf %g, %a3 : f32
      linalg.yield %r : f32
    } -> tensor<119x240xf32>
    %v18 = arith.constant 0.000000000e+00 : f32
    %v19 = tensor.empty() : tensor<119x240xf32>
    %v20 = linalg.fill ins(%v18 : f32) outs(%v19 : tensor<119x240xf32>) -> tensor<119x240xf32>
    %v21 = linalg.matmul ins(%v17, %query_weights : tensor<119x240xf32>, tensor<240x240xf32>) outs(%v20 : tensor<119x240xf32>) -> tensor<119x240xf32>
    %v22 = tensor.empty() : tensor<119x240xf32>
    %v23 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%v21, %query_bias : tensor<119x240xf32>, tensor<240xf32>) outs(%v22 : tensor<119x240xf32>) {
    ^bb0(%a0: f32, %a1: f32, %out: f32):
      %r = arith.addf %a0, %a1 : f32
      linalg.yield %r : f32
    } -> tensor<119x240xf32>
    %v24 = tensor.expand_shape %v23 [[0], [1, 2]] output_shape [119, 5, 48] : tensor<119x240xf32> into tensor<119x5x48xf32>
    %v25 = arith.constant 0.000000000e+00 : f32
    %v26 = tensor.empty() : tensor<119x240xf32>
    %v27 = linalg.fill ins(%v25 : f32) outs(%v26 : tensor<119x240xf32>) -> tensor<119x240xf32>
    %v28 = linalg.matmul ins(%v17, %key_weights : tensor<119x240xf32>, tensor<240x240xf32>) outs(%v27 : tensor<119x240xf32>) -> tensor<119x240xf32>
    %v29 = tensor.empty() : tensor<119x240xf32>
    %v30 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%v28, %key_bias : tensor<119x240xf32>, tensor<240xf32>) outs(%v29 : tensor<119x240xf32>) {
    ^bb0(%a0: f32, %a1: f32, %out: f32):
      %r = arith.addf %a0, %a1 : f32
      linalg.yield %r : f32
    } -> tensor<119x240xf32>
    %v31 = tensor.expand_shape %v30 [[0], [1, 2]] output_shape [119, 5, 48] : tensor<119x240xf32> into tensor<119x5x48xf32>
    %v32 = arith.constant 0.000000000e+00 : f32
    %v33 = tensor.empty() : tensor<119x240xf32>
    %v34 = linalg.fill ins(%v32 : f32) outs(%v33 : tensor<119x240xf32>) -> tensor<119x240xf32>
    %v35 = linalg.matmul ins(%v17, %value_weights : tensor<119x240xf32>, tensor<240x240xf32>) outs(%v34 : tensor<119x240xf32>) -> tensor<119x240xf32>
    %v36 = tensor.empty() : tensor<119x240xf32>
    %v37 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%v35, %value_bias : tensor<119x240xf32>, tensor<240xf32>) outs(%v36 : tensor<119x240xf32>) {
    ^bb0(%a0: f32, %a1: f32, %out: f32):
      %r = arith.addf %a0, %a1 : f32
      linalg.yield %r : f32
    } -> tensor<119x240xf32>
    %v38 = tensor.expand_shape %v37 [[0], [1, 2]] output_shape [119, 5, 48] : tensor<119x240xf32> into tensor<119x5x48xf32>
    %v39 = tensor.empty() : tensor<5x119x48xf32>
    %v40 = linalg.transpose ins(%v24 : tensor<119x5x48xf32>) outs(%v39 : tensor<5x119x48xf32>) permutation = [1, 0, 2]
    %v41 = tensor.empty() : tensor<5x48x119xf32>
    %v42 = linalg.transpose ins(%v31 : tensor<119x5x48xf32>) outs(%v41 : tensor<5x48x119xf32>) permutation = [1, 2, 0]
    %v43 = tensor.empty() : tensor<5x119x48xf32>
    %v44 = linalg.transpose ins(%v38 : tensor<119x5x48xf32>) outs(%v43 : tensor<5x119x48xf32>) permutation = [1, 0, 2]
    %v45 = arith.constant 0.000000000e+00 : f32
    %v46 = tensor.empty() : tensor<5x119x119xf32>
    %v47 = linalg.fill ins(%v45 : f32) outs(%v46 : tensor<5x119x119xf32>) -> tensor<5x119x119xf32>
    %v48 = linalg.batch_matmul ins(%v40, %v42 : tensor<5x119x48xf32>, tensor<5x48x119xf32>) outs(%v47 : tensor<5x119x119xf32>) -> tensor<5x119x119xf32>
    %v49 = tensor.empty() : tensor<5x119x119xf32>
    %v50 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%v48 : tensor<5x119x119xf32>) outs(%v49 : tensor<5x119x119xf32>) {
    ^bb0(%a0: f32, %out: f32):
      %c = arith.constant 1.443375673e-01 : f32
      %r = arith.mulf %a0, %c : f32
      linalg.yield %r : f32
    } -> tensor<5x119x119xf32>
    %v51 = arith.constant -3.400000000e+38 : f32
    %v52 = tensor.empty() : tensor<5x119xf32>
    %v53 = linalg.fill ins(%v51 : f32) outs(%v52 : tensor<5x119xf32>) -> tensor<5x119xf32>
    %v54 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%v50 : tensor<5x119x119xf32>) outs(%v53 : tensor<5x119xf32>) {
    ^bb0(%a0: f32, %out: f32):
      %r = arith.maximumf %out, %a0 : f32
      linalg.yield %r : f32
    } -> tensor<5x119xf32>
    %v55 = tensor.empty() : tensor<5x119x119xf32>
    %v56 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%v50, %v54 : tensor<5x119x119xf32>, tensor<5x119xf32>) outs(%v55 : tensor<5x119x119xf32>) {
    ^bb0(%a0: f32, %a1: f32, %out: f32):
      %s = arith.subf %a0, %a1 : f32
      %r = math.exp %s : f32
      linalg.yield %r : f32
    } -> tensor<5x119x119xf32>
    %v57 = arith.constant 0.000000000e+00 : f32
    %v58 = tensor.empty() : tensor<5x119xf32>
    %v59 = linalg.fill ins(%v57 : f32) outs(%v58 : tensor<5x119xf32>) -> tensor<5x119xf32>
    %v60 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%v56 : tensor<5x119x119xf32>) outs(%v59 : tensor<5x119xf32>) {
    ^bb0(%a0: f32, %out: f32):
      %r = arith.addf %out, %a0 : f32
      linalg.yield %r : f32
    } -> tensor<5x119xf32>
    %v61 = tensor.empty() : tensor<5x119x119xf32>
    %v62 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%v56, %v60 : tensor<5x119x119xf32>, tensor<5x119xf32>) outs(%v61 : tensor<5x119x119xf32>) {
    ^bb0(%a0: f32, %a1: f32, %out: f32):
      %r = arith.divf %a0, %a1 : f32
      linalg.yield %r : f32
    } -> tensor<5x119x119xf32>
    %v63 = arith.constant 0.000000000e+00 : f32
    %v64 = tensor.empty() : tensor<5x119x48xf32>
    %v65 = linalg.fill ins(%v63 : f32) outs(%v64 : tensor<5x119x48xf32>) -> tensor<5x119x48xf32>
    %v66 = linalg.batch_matmul ins(%v62, %v44 : tensor<5x119x119xf32>, tensor<5x119x48xf32>) outs(%v65 : tensor<5x119x48xf32>) -> tensor<5x119x48xf32>
    %v67 = tensor.empty() : tensor<119x5x48xf32>
    %v68 = linalg.transpose ins(%v66 : tensor<5x119x48xf32>) outs(%v67 : tensor<119x5x48xf32>) permutation = [1, 0, 2]
    %v69 = tensor.collapse_shape %v68 [[0], [1, 2]] : tensor<119x5x48xf32> into tensor<119x240xf32>
    %v70 = arith.constant 0.000000000e+00 : f32
    %v71 = tensor.empty() : tensor<119x240xf32>
    %v72 = linalg.fill ins(%v70 : f32) outs(%v71 : tensor<119x240xf32>) -> tensor<119x240xf32>
    %v73 = linalg.matmul ins(%v69, %output_weights : tensor<119x240xf32>, tensor<240x240xf32>) outs(%v72 : tensor<119x240xf32>) -> tensor<119x240xf32>
    %v74 = tensor.empty() : tensor<119x240xf32>
    %v75 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%v73, %output_bias : tensor<119x240xf32>, tensor<240xf32>) outs(%v74 : tensor<119x240xf32>) {
    ^bb0(%a0: f32, %a1: f32, %out: f32):
      %r = arith.addf %a0, %a1 : f32
      linalg.yield %r : f32
    } -> tensor<119x240xf32>
    %v76 = tensor.empty() : tensor<119x240xf32>
    %v77 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%x, %v75 : tensor<119x240xf32>, tensor<119x240xf32>) outs(%v76 : tensor<119x240xf32>) {
    ^bb0(%a0: f32, %a1: f32, %out: f32):
      %r = arith.addf %a0, %a1 : f32
      linalg.yield %r : f32
    } -> tensor<119x240xf32>
    %v78 = arith.constant 0.000000000e+00 : f32
    %v79 = tensor.empty() : tensor<119xf32>
    %v80 = linalg.fill ins(%v78 : f32) outs(%v79 : tensor<119xf32>) -> tensor<119xf32>
    %v81 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]} ins(%v77 : tensor<119x240xf32>) outs(%v80 : tensor<119xf32>) {
    ^bb0(%a0: f32, %out: f32):
      %r = arith.addf %out, %a0 : f32
      linalg.yield %r : f32
    } -> tensor<119xf32>
    %v82 = tensor.empty() : tensor<119xf32>
    %v83 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%v81 : tensor<119xf32>) outs(%v82 : tensor<119xf32>) {
    ^bb0(%a0: f32, %out: f32):
      %n = arith.constant 4.166666667e-03 : f32
      %r = arith.mulf %a0, %n : f32
      linalg.yield %r : f32
    } -> tensor<119xf32>
    %v84 = tensor.empty() : tensor<119x240xf32>
    %v85 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%v77, %v83 : tensor<119x240xf32>, tensor<119xf32>) outs(%v84 : tensor<119x240xf32>) {
    ^bb0(%a0: f32, %a1: f32, %out: f32):
      %r = arith.subf %a0, %a1 : f32
      linalg.yield %r : f32
    } -> tensor<119x240xf32>
    %v86 = arith.constant 0.000000000e+00 : f32
    %v87 = tensor.empty() : tensor<119xf32>
    %v88 = linalg.fill ins(%v86 : f32) outs(%v87 : tensor<119xf32>) -> tensor<119xf32>
    %v89 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]} ins(%v85 : tensor<119x240xf32>) outs(%v88 : tensor<119xf32>) {
    ^bb0(%a0: f32, %out: f32):
      %m = arith.mulf %a0, %a0 : f32
      %r = arith.addf %out, %m : f32
      linalg.yield %r : f32
    } -> tensor<119xf32>
    %v90 = tensor.empty() : tensor<119xf32>
    %v91 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%v89 : tensor<119xf32>) outs(%v90 : tensor<119xf32>) {
    ^bb0(%a0: f32, %out: f32):
      %n = arith.constant 4.166666667e-03 : f32
      %m = arith.mulf %a0, %n : f32
      %e = arith.constant 1.0e-5 : f32
      %s = arith.addf %m, %e : f32
      %r = math.rsqrt %s : f32
      linalg.yield %r : f32
    } -> tensor<119xf32>
    %v92 = arith.constant dense_resource<__elided__> : tensor<240xf32>
    %v93 = arith.constant dense_resource<__elided__> : tensor<240xf32>
    %v94 = tensor.empty() : tensor<119x240xf32>
    %v95 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%v85, %v91, %v92, %v93 : tensor<119x240xf32>, tensor<119xf32>, tensor<240xf32>, tensor<240xf32>) outs(%v94 : tensor<119x240xf32>) {
    ^bb0(%a0: f32, %a1: f32, %a2: f32, %a3: f32, %out: f32):
      %m = arith.mulf %a0, %a1 : f32
      %g = arith.mulf %m, %a2 : f32
      %r = arith.addf %g, %a3 : f32
      linalg.yield %r : f32
    } -> tensor<119x240xf32>
    %v96 = arith.constant 0.000000000e+00 : f32
    %v97 = tensor.empty() : tensor<119x960xf32>
    %v98 = linalg.fill ins(%v96 : f32) outs(%v97 : tensor<119x960xf32>) -> tensor<119x960xf32>
    %v99 = linalg.matmul ins(%v95, %up_weights : tensor<119x240xf32>, tensor<240x960xf32>) outs(%v98 : tensor<119x960xf32>) -> tensor<119x960xf32>
    %v100 = tensor.empty() : tensor<119x960xf32>
    %v101 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%v99, %up_bias : tensor<119x960xf32>, tensor<960xf32>) outs(%v100 : tensor<119x960xf32>) {
    ^bb0(%a0: f32, %a1: f32, %out: f32):
      %r = arith.addf %a0, %a1 : f32
      linalg.yield %r : f32
    } -> tensor<119x960xf32>
    %v102 = tensor.empty() : tensor<119x960xf32>
    %v103 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%v101 : tensor<119x960xf32>) outs(%v102 : tensor<119x960xf32>) {
    ^bb0(%a0: f32, %out: f32):
      %c = arith.constant 7.071067812e-01 : f32
      %s = arith.mulf %a0, %c : f32
      %e = math.erf %s : f32
      %one = arith.constant 1.0 : f32
      %p = arith.addf %e, %one : f32
      %half = arith.constant 0.5 : f32
      %h = arith.mulf %a0, %half : f32
      %r = arith.mulf %h, %p : f32
      linalg.yield %r : f32
    } -> tensor<119x960xf32>
    %v104 = arith.constant 0.000000000e+00 : f32
    %v105 = tensor.empty() : tensor<119x240xf32>
    %v106 = linalg.fill ins(%v104 : f32) outs(%v105 : tensor<119x240xf32>) -> tensor<119x240xf32>
    %v107 = linalg.matmul ins(%v103, %down_weights : tensor<119x960xf32>, tensor<960x240xf32>) outs(%v106 : tensor<119x240xf32>) -> tensor<119x240xf32>
    %v108 = tensor.empty() : tensor<119x240xf32>
    %v109 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%v107, %down_bias : tensor<119x240xf32>, tensor<240xf32>) outs(%v108 : tensor<119x240xf32>) {
    ^bb0(%a0: f32, %a1: f32, %out: f32):
      %r = arith.addf %a0, %a1 : f32
      linalg.yield %r : f32
    } -> tensor<119x240xf32>
    %v110 = tensor.empty() : tensor<119x240xf32>
    %v111 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%v77, %v109 : tensor<119x240xf32>, tensor<119x240xf32>) outs(%v110 : tensor<119x240xf32>) {
    ^bb0(%a0: f32, %a1: f32, %out: f32):
      %r = arith.addf %a0, %a1 : f32
      linalg.yield %r : f32
    } -> tensor<119x240xf32>
    return %v111 : tensor<119x240xf32>
  }
}
