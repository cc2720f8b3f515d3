// An image through six residual blocks, two of which halve it, and a
// classifier. Named linalg convolutions on NHWC tensors, batch
// normalisation as generics; elided weights with a key each.
module {
  func.func @forward(%image: tensor<1x67x51x3xf32>) -> tensor<1x13xf32> {
    %v0 = arith.constant 0.000000000e+00 : f32
    %v1 = tensor.pad %image low[0, 1, 1, 0] high[0, 1, 1, 0] {
    ^bb0(%i: index, %j: index, %k: index, %l: index):
      tensor.yield %v0 : f32
    } : tensor<1x67x51x3xf32> to tensor<1x69x53x3xf32>
    %v2 = arith.constant dense_resource<w0> : tensor<3x3x3x20xf32>
    %v3 = arith.constant 0.000000000e+00 : f32
    %v4 = tensor.empty() : tensor<1x67x51x20xf32>
    %v5 = linalg.fill ins(%v3 : f32) outs(%v4 : tensor<1x67x51x20xf32>) -> tensor<1x67x51x20xf32>
    %v6 = linalg.conv_2d_nhwc_hwcf {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>} ins(%v1, %v2 : tensor<1x69x53x3xf32>, tensor<3x3x3x20xf32>) outs(%v5 : tensor<1x67x51x20xf32>) -> tensor<1x67x51x20xf32>
    %v7 = arith.constant dense<[0.850, 1.060, 0.940, 1.150, 1.030, 0.910, 1.120, 1.000, 0.880, 1.090, 0.970, 0.850, 1.060, 0.940, 1.150, 1.030, 0.910, 1.120, 1.000, 0.880]> : tensor<20xf32>
    %v8 = arith.constant dense_resource<w1> : tensor<20xf32>
    %v9 = tensor.empty() : tensor<1x67x51x20xf32>
    %v10 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d3)>, affine_map<(d0, d1, d2, d3) -> (d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%v6, %v7, %v8 : tensor<1x67x51x20xf32>, tensor<20xf32>, tensor<20xf32>) outs(%v9 : tensor<1x67x51x20xf32>) {
    ^bb0(%a0: f32, %a1: f32, %a2: f32, %out: f32):
      %m = arith.mulf %a0, %a1 : f32
      %s = arith.addf %m, %a2 : f32
      %zero = arith.constant 0.0 : f32
      %r = arith.maximumf %s, %zero : f32
      linalg.yield %r : f32
    } -> tensor<1x67x51x20xf32>
    %v11 = arith.constant 0.000000000e+00 : f32
    %v12 = tensor.pad %v10 low[0, 1, 1, 0] high[0, 1, 1, 0] {
    ^bb0(%i: index, %j: index, %k: index, %l: index):
      tensor.yield %v11 : f32
    } : tensor<1x67x51x20xf32> to tensor<1x69x53x20xf32>
    %v13 = arith.constant dense_resource<w2> : tensor<3x3x20x20xf32>
    %v14 = arith.constant 0.000000000e+00 : f32
    %v15 = tensor.empty() : tensor<1x67x51x20xf32>
    %v16 = linalg.fill ins(%v14 : f32) outs(%v15 : tensor<1x67x51x20xf32>) -> tensor<1x67x51x20xf32>
    %v17 = linalg.conv_2d_nhwc_hwcf {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>} ins(%v12, %v13 : tensor<1x69x53x20xf32>, tensor<3x3x20x20xf32>) outs(%v16 : tensor<1x67x51x20xf32>) -> tensor<1x67x51x20xf32>
    %v18 = arith.constant dense<[0.850, 1.060, 0.940, 1.150, 1.030, 0.910, 1.120, 1.000, 0.880, 1.090, 0.970, 0.850, 1.060, 0.940, 1.150, 1.030, 0.910, 1.120, 1.000, 0.880]> : tensor<20xf32>
    %v19 = arith.constant dense_resource<w3> : tensor<20xf32>
    %v20 = tensor.empty() : tensor<1x67x51x20xf32>
    %v21 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d3)>, affine_map<(d0, d1, d2, d3) -> (d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%v17, %v18, %v19 : tensor<1x67x51x20xf32>, tensor<20xf32>, tensor<20xf32>) outs(%v20 : tensor<1x67x51x20xf32>) {
    ^bb0(%a0: f32, %a1: f32, %a2: f32, %out: f32):
      %m = arith.mulf %a0, %a1 : f32
      %s = arith.addf %m, %a2 : f32
      %zero = arith.constant 0.0 : f32
      %r = arith.maximumf %s, %zero : f32
      linalg.yield %r : f32
    } -> tensor<1x67x51x20xf32>
    %v22 = arith.constant 0.000000000e+00 : f32
    %v23 = tensor.pad %v21 low[0, 1, 1, 0] high[0, 1, 1, 0] {
    ^bb0(%i: index, %j: index, %k: index, %l: index):
      tensor.yield %v22 : f32
    } : tensor<1x67x51x20xf32> to tensor<1x69x53x20xf32>
    %v24 = arith.constant dense_resource<w4> : tensor<3x3x20x20xf32>
    %v25 = arith.constant 0.000000000e+00 : f32
    %v26 = tensor.empty() : tensor<1x67x51x20xf32>
    %v27 = linalg.fill ins(%v25 : f32) outs(%v26 : tensor<1x67x51x20xf32>) -> tensor<1x67x51x20xf32>
    %v28 = linalg.conv_2d_nhwc_hwcf {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>} ins(%v23, %v24 : tensor<1x69x53x20xf32>, tensor<3x3x20x20xf32>) outs(%v27 : tensor<1x67x51x20xf32>) -> tensor<1x67x51x20xf32>
    %v29 = arith.constant dense<[0.850, 1.060, 0.940, 1.150, 1.030, 0.910, 1.120, 1.000, 0.880, 1.090, 0.970, 0.850, 1.060, 0.940, 1.150, 1.030, 0.910, 1.120, 1.000, 0.880]> : tensor<20xf32>
    %v30 = arith.constant dense_resource<w5> : tensor<20xf32>
    %v31 = tensor.empty() : tensor<1x67x51x20xf32>
    %v32 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d3)>, affine_map<(d0, d1, d2, d3) -> (d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%v28, %v29, %v30 : tensor<1x67x51x20xf32>, tensor<20xf32>, tensor<20xf32>) outs(%v31 : tensor<1x67x51x20xf32>) {
    ^bb0(%a0: f32, %a1: f32, %a2: f32, %out: f32):
      %m = arith.mulf %a0, %a1 : f32
      %s = arith.addf %m, %a2 : f32
      linalg.yield %s : f32
    } -> tensor<1x67x51x20xf32>
    %v33 = tensor.empty() : tensor<1x67x51x20xf32>
    %v34 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%v32, %v10 : tensor<1x67x51x20xf32>, tensor<1x67x51x20xf32>) outs(%v33 : tensor<1x67x51x20xf32>) {
    ^bb0(%a0: f32, %a1: f32, %out: f32):
      %s = arith.addf %a0, %a1 : f32
      %zero = arith.constant 0.0 : f32
      %r = arith.maximumf %s, %zero : f32
      linalg.yield %r : f32
    } -> tensor<1x67x51x20xf32>
    %v35 = arith.constant 0.000000000e+00 : f32
    %v36 = tensor.pad %v34 low[0, 1, 1, 0] high[0, 1, 1, 0] {
    ^bb0(%i: index, %j: index, %k: index, %l: index):
      tensor.yield %v35 : f32
    } : tensor<1x67x51x20xf32> to tensor<1x69x53x20xf32>
    %v37 = arith.constant dense_resource<w6> : tensor<3x3x20x20xf32>
    %v38 = arith.constant 0.000000000e+00 : f32
    %v39 = tensor.empty() : tensor<1x67x51x20xf32>
    %v40 = linalg.fill ins(%v38 : f32) outs(%v39 : tensor<1x67x51x20xf32>) -> tensor<1x67x51x20xf32>
    %v41 = linalg.conv_2d_nhwc_hwcf {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>} ins(%v36, %v37 : tensor<1x69x53x20xf32>, tensor<3x3x20x20xf32>) outs(%v40 : tensor<1x67x51x20xf32>) -> tensor<1x67x51x20xf32>
    %v42 = arith.constant dense<[0.850, 1.060, 0.940, 1.150, 1.030, 0.910, 1.120, 1.000, 0.880, 1.090, 0.970, 0.850, 1.060, 0.940, 1.150, 1.030, 0.910, 1.120, 1.000, 0.880]> : tensor<20xf32>
    %v43 = arith.constant dense_resource<w7> : tensor<20xf32>
    %v44 = tensor.empty() : tensor<1x67x51x20xf32>
    %v45 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d3)>, affine_map<(d0, d1, d2, d3) -> (d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%v41, %v42, %v43 : tensor<1x67x51x20xf32>, tensor<20xf32>, tensor<20xf32>) outs(%v44 : tensor<1x67x51x20xf32>) {
    ^bb0(%a0: f32, %a1: f32, %a2: f32, %out: f32):
      %m = arith.mulf %a0, %a1 : f32
      %s = arith.addf %m, %a2 : f32
      %zero = arith.constant 0.0 : f32
      %r = arith.maximumf %s, %zero : f32
      linalg.yield %r : f32
    } -> tensor<1x67x51x20xf32>
    %v46 = arith.constant 0.000000000e+00 : f32
    %v47 = tensor.pad %v45 low[0, 1, 1, 0] high[0, 1, 1, 0] {
    ^bb0(%i: index, %j: index, %k: index, %l: index):
      tensor.yield %v46 : f32
    } : tensor<1x67x51x20xf32> to tensor<1x69x53x20xf32>
    %v48 = arith.constant dense_resource<w8> : tensor<3x3x20x20xf32>
    %v49 = arith.constant 0.000000000e+00 : f32
    %v50 = tensor.empty() : tensor<1x67x51x20xf32>
    %v51 = linalg.fill ins(%v49 : f32) outs(%v50 : tensor<1x67x51x20xf32>) -> tensor<1x67x51x20xf32>
    %v52 = linalg.conv_2d_nhwc_hwcf {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>} ins(%v47, %v48 : tensor<1x69x53x20xf32>, tensor<3x3x20x20xf32>) outs(%v51 : tensor<1x67x51x20xf32>) -> tensor<1x67x51x20xf32>
    %v53 = arith.constant dense<[0.850, 1.060, 0.940, 1.150, 1.030, 0.910, 1.120, 1.000, 0.880, 1.090, 0.970, 0.850, 1.060, 0.940, 1.150, 1.030, 0.910, 1.120, 1.000, 0.880]> : tensor<20xf32>
    %v54 = arith.constant dense_resource<w9> : tensor<20xf32>
    %v55 = tensor.empty() : tensor<1x67x51x20xf32>
    %v56 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d3)>, affine_map<(d0, d1, d2, d3) -> (d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%v52, %v53, %v54 : tensor<1x67x51x20xf32>, tensor<20xf32>, tensor<20xf32>) outs(%v55 : tensor<1x67x51x20xf32>) {
    ^bb0(%a0: f32, %a1: f32, %a2: f32, %out: f32):
      %m = arith.mulf %a0, %a1 : f32
      %s = arith.addf %m, %a2 : f32
      linalg.yield %s : f32
    } -> tensor<1x67x51x20xf32>
    %v57 = tensor.empty() : tensor<1x67x51x20xf32>
    %v58 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%v56, %v34 : tensor<1x67x51x20xf32>, tensor<1x67x51x20xf32>) outs(%v57 : tensor<1x67x51x20xf32>) {
    ^bb0(%a0: f32, %a1: f32, %out: f32):
      %s = arith.addf %a0, %a1 : f32
      %zero = arith.constant 0.0 : f32
      %r = arith.maximumf %s, %zero : f32
      linalg.yield %r : f32
    } -> tensor<1x67x51x20xf32>
    %v59 = arith.constant dense_resource<w10> : tensor<1x1x20x40xf32>
    %v60 = arith.constant 0.000000000e+00 : f32
    %v61 = tensor.empty() : tensor<1x34x26x40xf32>
    %v62 = linalg.fill ins(%v60 : f32) outs(%v61 : tensor<1x34x26x40xf32>) -> tensor<1x34x26x40xf32>
    %v63 = linalg.conv_2d_nhwc_hwcf {dilations = dense<1> : tensor<2xi64>, strides = dense<2> : tensor<2xi64>} ins(%v58, %v59 : tensor<1x67x51x20xf32>, tensor<1x1x20x40xf32>) outs(%v62 : tensor<1x34x26x40xf32>) -> tensor<1x34x26x40xf32>
    %v64 = arith.constant dense<[0.850, 1.060, 0.940, 1.150, 1.030, 0.910, 1.120, 1.000, 0.880, 1.090, 0.970, 0.850, 1.060, 0.940, 1.150, 1.030, 0.910, 1.120, 1.000, 0.880, 1.090, 0.970, 0.850, 1.060, 0.940, 1.150, 1.030, 0.910, 1.120, 1.000, 0.880, 1.090, 0.970, 0.850, 1.060, 0.940, 1.150, 1.030, 0.910, 1.120]> : tensor<40xf32>
    %v65 = arith.constant dense_resource<w11> : tensor<40xf32>
    %v66 = tensor.empty() : tensor<1x34x26x40xf32>
    %v67 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d3)>, affine_map<(d0, d1, d2, d3) -> (d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%v63, %v64, %v65 : tensor<1x34x26x40xf32>, tensor<40xf32>, tensor<40xf32>) outs(%v66 : tensor<1x34x26x40xf32>) {
    ^bb0(%a0: f32, %a1: f32, %a2: f32, %out: f32):
      %m = arith.mulf %a0, %a1 : f32
      %s = arith.addf %m, %a2 : f32
      linalg.yield %s : f32
    } -> tensor<1x34x26x40xf32>
    %v68 = arith.constant 0.000000000e+00 : f32
    %v69 = tensor.pad %v58 low[0, 1, 1, 0] high[0, 1, 1, 0] {
    ^bb0(%i: index, %j: index, %k: index, %l: index):
      tensor.yield %v68 : f32
    } : tensor<1x67x51x20xf32> to tensor<1x69x53x20xf32>
    %v70 = arith.constant dense_resource<w12> : tensor<3x3x20x40xf32>
    %v71 = arith.constant 0.000000000e+00 : f32
    %v72 = tensor.empty() : tensor<1x34x26x40xf32>
    %v73 = linalg.fill ins(%v71 : f32) outs(%v72 : tensor<1x34x26x40xf32>) -> tensor<1x34x26x40xf32>
    %v74 = linalg.conv_2d_nhwc_hwcf {dilations = dense<1> : tensor<2xi64>, strides = dense<2> : tensor<2xi64>} ins(%v69, %v70 : tensor<1x69x53x20xf32>, tensor<3x3x20x40xf32>) outs(%v73 : tensor<1x34x26x40xf32>) -> tensor<1x34x26x40xf32>
    %v75 = arith.constant dense<[0.850, 1.060, 0.940, 1.150, 1.030, 0.910, 1.120, 1.000, 0.880, 1.090, 0.970, 0.850, 1.060, 0.940, 1.150, 1.030, 0.910, 1.120, 1.000, 0.880, 1.090, 0.970, 0.850, 1.060, 0.940, 1.150, 1.030, 0.910, 1.120, 1.000, 0.880, 1.090, 0.970, 0.850, 1.060, 0.940, 1.150, 1.030, 0.910, 1.120]> : tensor<40xf32>
    %v76 = arith.constant dense_resource<w13> : tensor<40xf32>
    %v77 = tensor.empty() : tensor<1x34x26x40xf32>
    %v78 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d3)>, affine_map<(d0, d1, d2, d3) -> (d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%v74, %v75, %v76 : tensor<1x34x26x40xf32>, tensor<40xf32>, tensor<40xf32>) outs(%v77 : tensor<1x34x26x40xf32>) {
    ^bb0(%a0: f32, %a1: f32, %a2: f32, %out: f32):
      %m = arith.mulf %a0, %a1 : f32
      %s = arith.addf %m, %a2 : f32
      %zero = arith.constant 0.0 : f32
      %r = arith.maximumf %s, %zero : f32
      linalg.yield %r : f32
    } -> tensor<1x34x26x40xf32>
    %v79 = arith.constant 0.000000000e+00 : f32
    %v80 = tensor.pad %v78 low[0, 1, 1, 0] high[0, 1, 1, 0] {
    ^bb0(%i: index, %j: index, %k: index, %l: index):
      tensor.yield %v79 : f32
    } : tensor<1x34x26x40xf32> to tensor<1x36x28x40xf32>
    %v81 = arith.constant dense_resource<w14> : tensor<3x3x40x40xf32>
    %v82 = arith.constant 0.000000000e+00 : f32
    %v83 = tensor.empty() : tensor<1x34x26x40xf32>
    %v84 = linalg.fill ins(%v82 : f32) outs(%v83 : tensor<1x34x26x40xf32>) -> tensor<1x34x26x40xf32>
    %v85 = linalg.conv_2d_nhwc_hwcf {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>} ins(%v80, %v81 : tensor<1x36x28x40xf32>, tensor<3x3x40x40xf32>) outs(%v84 : tensor<1x34x26x40xf32>) -> tensor<1x34x26x40xf32>
    %v86 = arith.constant dense<[0.850, 1.060, 0.940, 1.150, 1.030, 0.910, 1.120, 1.000, 0.880, 1.090, 0.970, 0.850, 1.060, 0.940, 1.150, 1.030, 0.910, 1.120, 1.000, 0.880, 1.090, 0.970, 0.850, 1.060, 0.940, 1.150, 1.030, 0.910, 1.120, 1.000, 0.880, 1.090, 0.970, 0.850, 1.060, 0.940, 1.150, 1.030, 0.910, 1.120]> : tensor<40xf32>
    %v87 = arith.constant dense_resource<w15> : tensor<40xf32>
    %v88 = tensor.empty() : tensor<1x34x26x40xf32>
    %v89 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d3)>, affine_map<(d0, d1, d2, d3) -> (d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%v85, %v86, %v87 : tensor<1x34x26x40xf32>, tensor<40xf32>, tensor<40xf32>) outs(%v88 : tensor<1x34x26x40xf32>) {
    ^bb0(%a0: f32, %a1: f32, %a2: f32, %out: f32):
      %m = arith.mulf %a0, %a1 : f32
      %s = arith.addf %m, %a2 : f32
      linalg.yield %s : f32
    } -> tensor<1x34x26x40xf32>
    %v90 = tensor.empty() : tensor<1x34x26x40xf32>
    %v91 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%v89, %v67 : tensor<1x34x26x40xf32>, tensor<1x34x26x40xf32>) outs(%v90 : tensor<1x34x26x40xf32>) {
    ^bb0(%a0: f32, %a1: f32, %out: f32):
      %s = arith.addf %a0, %a1 : f32
      %zero = arith.constant 0.0 : f32
      %r = arith.maximumf %s, %zero : f32
      linalg.yield %r : f32
    } -> tensor<1x34x26x40xf32>
    %v92 = arith.constant 0.000000000e+00 : f32
    %v93 = tensor.pad %v91 low[0, 1, 1, 0] high[0, 1, 1, 0] {
    ^bb0(%i: index, %j: index, %k: index, %l: index):
      tensor.yield %v92 : f32
    } : tensor<1x34x26x40xf32> to tensor<1x36x28x40xf32>
    %v94 = arith.constant dense_resource<w16> : tensor<3x3x40x40xf32>
    %v95 = arith.constant 0.000000000e+00 : f32
    %v96 = tensor.empty() : tensor<1x34x26x40xf32>
    %v97 = linalg.fill ins(%v95 : f32) outs(%v96 : tensor<1x34x26x40xf32>) -> tensor<1x34x26x40xf32>
    %v98 = linalg.conv_2d_nhwc_hwcf {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>} ins(%v93, %v94 : tensor<1x36x28x40xf32>, tensor<3x3x40x40xf32>) outs(%v97 : tensor<1x34x26x40xf32>) -> tensor<1x34x26x40xf32>
    %v99 = arith.constant dense<[0.850, 1.060, 0.940, 1.150, 1.030, 0.910, 1.120, 1.000, 0.880, 1.090, 0.970, 0.850, 1.060, 0.940, 1.150, 1.030, 0.910, 1.120, 1.000, 0.880, 1.090, 0.970, 0.850, 1.060, 0.940, 1.150, 1.030, 0.910, 1.120, 1.000, 0.880, 1.090, 0.970, 0.850, 1.060, 0.940, 1.150, 1.030, 0.910, 1.120]> : tensor<40xf32>
    %v100 = arith.constant dense_resource<w17> : tensor<40xf32>
    %v101 = tensor.empty() : tensor<1x34x26x40xf32>
    %v102 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d3)>, affine_map<(d0, d1, d2, d3) -> (d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%v98, %v99, %v100 : tensor<1x34x26x40xf32>, tensor<40xf32>, tensor<40xf32>) outs(%v101 : tensor<1x34x26x40xf32>) {
    ^bb0(%a0: f32, %a1: f32, %a2: f32, %out: f32):
      %m = arith.mulf %a0, %a1 : f32
      %s = arith.addf %m, %a2 : f32
      %zero = arith.constant 0.0 : f32
      %r = arith.maximumf %s, %zero : f32
      linalg.yield %r : f32
    } -> tensor<1x34x26x40xf32>
    %v103 = arith.constant 0.000000000e+00 : f32
    %v104 = tensor.pad %v102 low[0, 1, 1, 0] high[0, 1, 1, 0] {
    ^bb0(%i: index, %j: index, %k: index, %l: index):
      tensor.yield %v103 : f32
    } : tensor<1x34x26x40xf32> to tensor<1x36x28x40xf32>
    %v105 = arith.constant dense_resource<w18> : tensor<3x3x40x40xf32>
    %v106 = arith.constant 0.000000000e+00 : f32
    %v107 = tensor.empty() : tensor<1x34x26x40xf32>
    %v108 = linalg.fill ins(%v106 : f32) outs(%v107 : tensor<1x34x26x40xf32>) -> tensor<1x34x26x40xf32>
    %v109 = linalg.conv_2d_nhwc_hwcf {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>} ins(%v104, %v105 : tensor<1x36x28x40xf32>, tensor<3x3x40x40xf32>) outs(%v108 : tensor<1x34x26x40xf32>) -> tensor<1x34x26x40xf32>
    %v110 = arith.constant dense<[0.850, 1.060, 0.940, 1.150, 1.030, 0.910, 1.120, 1.000, 0.880, 1.090, 0.970, 0.850, 1.060, 0.940, 1.150, 1.030, 0.910, 1.120, 1.000, 0.880, 1.090, 0.970, 0.850, 1.060, 0.940, 1.150, 1.030, 0.910, 1.120, 1.000, 0.880, 1.090, 0.970, 0.850, 1.060, 0.940, 1.150, 1.030, 0.910, 1.120]> : tensor<40xf32>
    %v111 = arith.constant dense_resource<w19> : tensor<40xf32>
    %v112 = tensor.empty() : tensor<1x34x26x40xf32>
    %v113 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d3)>, affine_map<(d0, d1, d2, d3) -> (d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%v109, %v110, %v111 : tensor<1x34x26x40xf32>, tensor<40xf32>, tensor<40xf32>) outs(%v112 : tensor<1x34x26x40xf32>) {
    ^bb0(%a0: f32, %a1: f32, %a2: f32, %out: f32):
      %m = arith.mulf %a0, %a1 : f32
      %s = arith.addf %m, %a2 : f32
      linalg.yield %s : f32
    } -> tensor<1x34x26x40xf32>
    %v114 = tensor.empty() : tensor<1x34x26x40xf32>
    %v115 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%v113, %v91 : tensor<1x34x26x40xf32>, tensor<1x34x26x40xf32>) outs(%v114 : tensor<1x34x26x40xf32>) {
    ^bb0(%a0: f32, %a1: f32, %out: f32):
      %s = arith.addf %a0, %a1 : f32
      %zero = arith.constant 0.0 : f32
      %r = arith.maximumf %s, %zero : f32
      linalg.yield %r : f32
    } -> tensor<1x34x26x40xf32>
    %v116 = arith.constant dense_resource<w20> : tensor<1x1x40x76xf32>
    %v117 = arith.constant 0.000000000e+00 : f32
    %v118 = tensor.empty() : tensor<1x17x13x76xf32>
    %v119 = linalg.fill ins(%v117 : f32) outs(%v118 : tensor<1x17x13x76xf32>) -> tensor<1x17x13x76xf32>
    %v120 = linalg.conv_2d_nhwc_hwcf {dilations = dense<1> : tensor<2xi64>, strides = dense<2> : tensor<2xi64>} ins(%v115, %v116 : tensor<1x34x26x40xf32>, tensor<1x1x40x76xf32>) outs(%v119 : tensor<1x17x13x76xf32>) -> tensor<1x17x13x76xf32>
    %v121 = arith.constant dense<[0.850, 1.060, 0.940, 1.150, 1.030, 0.910, 1.120, 1.000, 0.880, 1.090, 0.970, 0.850, 1.060, 0.940, 1.150, 1.030, 0.910, 1.120, 1.000, 0.880, 1.090, 0.970, 0.850, 1.060, 0.940, 1.150, 1.030, 0.910, 1.120, 1.000, 0.880, 1.090, 0.970, 0.850, 1.060, 0.940, 1.150, 1.030, 0.910, 1.120, 1.000, 0.880, 1.090, 0.970, 0.850, 1.060, 0.940, 1.150, 1.030, 0.910, 1.120, 1.000, 0.880, 1.090, 0.970, 0.850, 1.060, 0.940, 1.150, 1.030, 0.910, 1.120, 1.000, 0.880, 1.090, 0.970, 0.850, 1.060, 0.940, 1.150, 1.030, 0.910, 1.120, 1.000, 0.880, 1.090]> : tensor<76xf32>
    %v122 = arith.constant dense_resource<w21> : tensor<76xf32>
    %v123 = tensor.empty() : tensor<1x17x13x76xf32>
    %v124 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d3)>, affine_map<(d0, d1, d2, d3) -> (d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%v120, %v121, %v122 : tensor<1x17x13x76xf32>, tensor<76xf32>, tensor<76xf32>) outs(%v123 : tensor<1x17x13x76xf32>) {
    ^bb0(%a0: f32, %a1: f32, %a2: f32, %out: f32):
      %m = arith.mulf %a0, %a1 : f32
      %s = arith.addf %m, %a2 : f32
      linalg.yield %s : f32
    } -> tensor<1x17x13x76xf32>
    %v125 = arith.constant 0.000000000e+00 : f32
    %v126 = tensor.pad %v115 low[0, 1, 1, 0] high[0, 1, 1, 0] {
    ^bb0(%i: index, %j: index, %k: index, %l: index):
      tensor.yield %v125 : f32
    } : tensor<1x34x26x40xf32> to tensor<1x36x28x40xf32>
    %v127 = arith.constant dense_resource<w22> : tensor<3x3x40x76xf32>
    %v128 = arith.constant 0.000000000e+00 : f32
    %v129 = tensor.empty() : tensor<1x17x13x76xf32>
    %v130 = linalg.fill ins(%v128 : f32) outs(%v129 : tensor<1x17x13x76xf32>) -> tensor<1x17x13x76xf32>
    %v131 = linalg.conv_2d_nhwc_hwcf {dilations = dense<1> : tensor<2xi64>, strides = dense<2> : tensor<2xi64>} ins(%v126, %v127 : tensor<1x36x28x40xf32>, tensor<3x3x40x76xf32>) outs(%v130 : tensor<1x17x13x76xf32>) -> tensor<1x17x13x76xf32>
    %v132 = arith.constant dense<[0.850, 1.060, 0.940, 1.150, 1.030, 0.910, 1.120, 1.000, 0.880, 1.090, 0.970, 0.850, 1.060, 0.940, 1.150, 1.030, 0.910, 1.120, 1.000, 0.880, 1.090, 0.970, 0.850, 1.060, 0.940, 1.150, 1.030, 0.910, 1.120, 1.000, 0.880, 1.090, 0.970, 0.850, 1.060, 0.940, 1.150, 1.030, 0.910, 1.120, 1.000, 0.880, 1.090, 0.970, 0.850, 1.060, 0.940, 1.150, 1.030, 0.910, 1.120, 1.000, 0.880, 1.090, 0.970, 0.850, 1.060, 0.940, 1.150, 1.030, 0.910, 1.120, 1.000, 0.880, 1.090, 0.970, 0.850, 1.060, 0.940, 1.150, 1.030, 0.910, 1.120, 1.000, 0.880, 1.090]> : tensor<76xf32>
    %v133 = arith.constant dense_resource<w23> : tensor<76xf32>
    %v134 = tensor.empty() : tensor<1x17x13x76xf32>
    %v135 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d3)>, affine_map<(d0, d1, d2, d3) -> (d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%v131, %v132, %v133 : tensor<1x17x13x76xf32>, tensor<76xf32>, tensor<76xf32>) outs(%v134 : tensor<1x17x13x76xf32>) {
    ^bb0(%a0: f32, %a1: f32, %a2: f32, %out: f32):
      %m = arith.mulf %a0, %a1 : f32
      %s = arith.addf %m, %a2 : f32
      %zero = arith.constant 0.0 : f32
      %r = arith.maximumf %s, %zero : f32
      linalg.yield %r : f32
    } -> tensor<1x17x13x76xf32>
    %v136 = arith.constant 0.000000000e+00 : f32
    %v137 = tensor.pad %v135 low[0, 1, 1, 0] high[0, 1, 1, 0] {
    ^bb0(%i: index, %j: index, %k: index, %l: index):
      tensor.yield %v136 : f32
    } : tensor<1x17x13x76xf32> to tensor<1x19x15x76xf32>
    %v138 = arith.constant dense_resource<w24> : tensor<3x3x76x76xf32>
    %v139 = arith.constant 0.000000000e+00 : f32
    %v140 = tensor.empty() : tensor<1x17x13x76xf32>
    %v141 = linalg.fill ins(%v139 : f32) outs(%v140 : tensor<1x17x13x76xf32>) -> tensor<1x17x13x76xf32>
    %v142 = linalg.conv_2d_nhwc_hwcf {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>} ins(%v137, %v138 : tensor<1x19x15x76xf32>, tensor<3x3x76x76xf32>) outs(%v141 : tensor<1x17x13x76xf32>) -> tensor<1x17x13x76xf32>
    %v143 = arith.constant dense<[0.850, 1.060, 0.940, 1.150, 1.030, 0.910, 1.120, 1.000, 0.880, 1.090, 0.970, 0.850, 1.060, 0.940, 1.150, 1.030, 0.910, 1.120, 1.000, 0.880, 1.090, 0.970, 0.850, 1.060, 0.940, 1.150, 1.030, 0.910, 1.120, 1.000, 0.880, 1.090, 0.970, 0.850, 1.060, 0.940, 1.150, 1.030, 0.910, 1.120, 1.000, 0.880, 1.090, 0.970, 0.850, 1.060, 0.940, 1.150, 1.030, 0.910, 1.120, 1.000, 0.880, 1.090, 0.970, 0.850, 1.060, 0.940, 1.150, 1.030, 0.910, 1.120, 1.000, 0.880, 1.090, 0.970, 0.850, 1.060, 0.940, 1.150, 1.030, 0.910, 1.120, 1.000, 0.880, 1.090]> : tensor<76xf32>
    %v144 = arith.constant dense_resource<w25> : tensor<76xf32>
    %v145 = tensor.empty() : tensor<1x17x13x76xf32>
    %v146 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d3)>, affine_map<(d0, d1, d2, d3) -> (d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%v142, %v143, %v144 : tensor<1x17x13x76xf32>, tensor<76xf32>, tensor<76xf32>) outs(%v145 : tensor<1x17x13x76xf32>) {
    ^bb0(%a0: f32, %a1: f32, %a2: f32, %out: f32):
      %m = arith.mulf %a0, %a1 : f32
      %s = arith.addf %m, %a2 : f32
      linalg.yield %s : f32
    } -> tensor<1x17x13x76xf32>
    %v147 = tensor.empty() : tensor<1x17x13x76xf32>
    %v148 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%v146, %v124 : tensor<1x17x13x76xf32>, tensor<1x17x13x76xf32>) outs(%v147 : tensor<1x17x13x76xf32>) {
    ^bb0(%a0: f32, %a1: f32, %out: f32):
      %s = arith.addf %a0, %a1 : f32
      %zero = arith.constant 0.0 : f32
      %r = arith.maximumf %s, %zero : f32
      linalg.yield %r : f32
    } -> tensor<1x17x13x76xf32>
    %v149 = arith.constant 0.000000000e+00 : f32
    %v150 = tensor.pad %v148 low[0, 1, 1, 0] high[0, 1, 1, 0] {
    ^bb0(%i: index, %j: index, %k: index, %l: index):
      tensor.yield %v149 : f32
    } : tensor<1x17x13x76xf32> to tensor<1x19x15x76xf32>
    %v151 = arith.constant dense_resource<w26> : tensor<3x3x76x76xf32>
    %v152 = arith.constant 0.000000000e+00 : f32
    %v153 = tensor.empty() : tensor<1x17x13x76xf32>
    %v154 = linalg.fill ins(%v152 : f32) outs(%v153 : tensor<1x17x13x76xf32>) -> tensor<1x17x13x76xf32>
    %v155 = linalg.conv_2d_nhwc_hwcf {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>} ins(%v150, %v151 : tensor<1x19x15x76xf32>, tensor<3x3x76x76xf32>) outs(%v154 : tensor<1x17x13x76xf32>) -> tensor<1x17x13x76xf32>
    %v156 = arith.constant dense<[0.850, 1.060, 0.940, 1.150, 1.030, 0.910, 1.120, 1.000, 0.880, 1.090, 0.970, 0.850, 1.060, 0.940, 1.150, 1.030, 0.910, 1.120, 1.000, 0.880, 1.090, 0.970, 0.850, 1.060, 0.940, 1.150, 1.030, 0.910, 1.120, 1.000, 0.880, 1.090, 0.970, 0.850, 1.060, 0.940, 1.150, 1.030, 0.910, 1.120, 1.000, 0.880, 1.090, 0.970, 0.850, 1.060, 0.940, 1.150, 1.030, 0.910, 1.120, 1.000, 0.880, 1.090, 0.970, 0.850, 1.060, 0.940, 1.150, 1.030, 0.910, 1.120, 1.000, 0.880, 1.090, 0.970, 0.850, 1.060, 0.940, 1.150, 1.030, 0.910, 1.120, 1.000, 0.880, 1.090]> : tensor<76xf32>
    %v157 = arith.constant dense_resource<w27> : tensor<76xf32>
    %v158 = tensor.empty() : tensor<1x17x13x76xf32>
    %v159 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d3)>, affine_map<(d0, d1, d2, d3) -> (d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%v155, %v156, %v157 : tensor<1x17x13x76xf32>, tensor<76xf32>, tensor<76xf32>) outs(%v158 : tensor<1x17x13x76xf32>) {
    ^bb0(%a0: f32, %a1: f32, %a2: f32, %out: f32):
      %m = arith.mulf %a0, %a1 : f32
      %s = arith.addf %m, %a2 : f32
      %zero = arith.constant 0.0 : f32
      %r = arith.maximumf %s, %zero : f32
      linalg.yield %r : f32
    } -> tensor<1x17x13x76xf32>
    %v160 = arith.constant 0.000000000e+00 : f32
    %v161 = tensor.pad %v159 low[0, 1, 1, 0] high[0, 1, 1, 0] {
    ^bb0(%i: index, %j: index, %k: index, %l: index):
      tensor.yield %v160 : f32
    } : tensor<1x17x13x76xf32> to tensor<1x19x15x76xf32>
    %v162 = arith.constant dense_resource<w28> : tensor<3x3x76x76xf32>
    %v163 = arith.constant 0.000000000e+00 : f32
    %v164 = tensor.empty() : tensor<1x17x13x76xf32>
    %v165 = linalg.fill ins(%v163 : f32) outs(%v164 : tensor<1x17x13x76xf32>) -> tensor<1x17x13x76xf32>
    %v166 = linalg.conv_2d_nhwc_hwcf {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>} ins(%v161, %v162 : tensor<1x19x15x76xf32>, tensor<3x3x76x76xf32>) outs(%v165 : tensor<1x17x13x76xf32>) -> tensor<1x17x13x76xf32>
    %v167 = arith.constant dense<[0.850, 1.060, 0.940, 1.150, 1.030, 0.910, 1.120, 1.000, 0.880, 1.090, 0.970, 0.850, 1.060, 0.940, 1.150, 1.030, 0.910, 1.120, 1.000, 0.880, 1.090, 0.970, 0.850, 1.060, 0.940, 1.150, 1.030, 0.910, 1.120, 1.000, 0.880, 1.090, 0.970, 0.850, 1.060, 0.940, 1.150, 1.030, 0.910, 1.120, 1.000, 0.880, 1.090, 0.970, 0.850, 1.060, 0.940, 1.150, 1.030, 0.910, 1.120, 1.000, 0.880, 1.090, 0.970, 0.850, 1.060, 0.940, 1.150, 1.030, 0.910, 1.120, 1.000, 0.880, 1.090, 0.970, 0.850, 1.060, 0.940, 1.150, 1.030, 0.910, 1.120, 1.000, 0.880, 1.090]> : tensor<76xf32>
    %v168 = arith.constant dense_resource<w29> : tensor<76xf32>
    %v169 = tensor.empty() : tensor<1x17x13x76xf32>
    %v170 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d3)>, affine_map<(d0, d1, d2, d3) -> (d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%v166, %v167, %v168 : tensor<1x17x13x76xf32>, tensor<76xf32>, tensor<76xf32>) outs(%v169 : tensor<1x17x13x76xf32>) {
    ^bb0(%a0: f32, %a1: f32, %a2: f32, %out: f32):
      %m = arith.mulf %a0, %a1 : f32
      %s = arith.addf %m, %a2 : f32
      linalg.yield %s : f32
    } -> tensor<1x17x13x76xf32>
    %v171 = tensor.empty() : tensor<1x17x13x76xf32>
    %v172 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%v170, %v148 : tensor<1x17x13x76xf32>, tensor<1x17x13x76xf32>) outs(%v171 : tensor<1x17x13x76xf32>) {
    ^bb0(%a0: f32, %a1: f32, %out: f32):
      %s = arith.addf %a0, %a1 : f32
      %zero = arith.constant 0.0 : f32
      %r = arith.maximumf %s, %zero : f32
      linalg.yield %r : f32
    } -> tensor<1x17x13x76xf32>
    %v173 = arith.constant 0.000000000e+00 : f32
    %v174 = tensor.empty() : tensor<1x76xf32>
    %v175 = linalg.fill ins(%v173 : f32) outs(%v174 : tensor<1x76xf32>) -> tensor<1x76xf32>
    %v176 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d3)>], iterator_types = ["parallel", "reduction", "reduction", "parallel"]} ins(%v172 : tensor<1x17x13x76xf32>) outs(%v175 : tensor<1x76xf32>) {
    ^bb0(%a0: f32, %out: f32):
      %r = arith.addf %out, %a0 : f32
      linalg.yield %r : f32
    } -> tensor<1x76xf32>
    %v177 = tensor.empty() : tensor<1x76xf32>
    %v178 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%v176 : tensor<1x76xf32>) outs(%v177 : tensor<1x76xf32>) {
    ^bb0(%a0: f32, %out: f32):
      %n = arith.constant 4.524886878e-03 : f32
      %r = arith.mulf %a0, %n : f32
      linalg.yield %r : f32
    } -> tensor<1x76xf32>
    %v179 = arith.constant dense_resource<w30> : tensor<76x13xf32>
    %v180 = arith.constant 0.000000000e+00 : f32
    %v181 = tensor.empty() : tensor<1x13xf32>
    %v182 = linalg.fill ins(%v180 : f32) outs(%v181 : tensor<1x13xf32>) -> tensor<1x13xf32>
    %v183 = linalg.matmul ins(%v178, %v179 : tensor<1x76xf32>, tensor<76x13xf32>) outs(%v182 : tensor<1x13xf32>) -> tensor<1x13xf32>
    %v184 = arith.constant dense_resource<w31> : tensor<13xf32>
    %v185 = tensor.empty() : tensor<1x13xf32>
    %v186 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%v183, %v184 : tensor<1x13xf32>, tensor<13xf32>) outs(%v185 : tensor<1x13xf32>) {
    ^bb0(%a0: f32, %a1: f32, %out: f32):
      %r = arith.addf %a0, %a1 : f32
      linalg.yield %r : f32
    } -> tensor<1x13xf32>
    return %v186 : tensor<1x13xf32>
  }
}
