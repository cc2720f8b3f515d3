// The last inception block of Inception v1 (5b), its shapes and operations with
// channels last: branches of 1x1, 3x3, 5x5 and pooling over a map of 6x6.
#image = affine_map<(n, y, x, c) -> (n, y, x, c)>
#channel = affine_map<(n, y, x, c) -> (c)>

module attributes {pg.resources = {kind = "cores", count = 2 : i64}} {
  func.func @inception(
      %image: tensor<1x6x6x832xf32>,
      %one_w: tensor<1x1x832x384xf32> {pg.parameter = "one_w"}, %one_b: tensor<384xf32> {pg.parameter = "one_b"},
      %three_reduce_w: tensor<1x1x832x192xf32> {pg.parameter = "three_reduce_w"}, %three_reduce_b: tensor<192xf32> {pg.parameter = "three_reduce_b"},
      %three_w: tensor<3x3x192x384xf32> {pg.parameter = "three_w"}, %three_b: tensor<384xf32> {pg.parameter = "three_b"},
      %five_reduce_w: tensor<1x1x832x48xf32> {pg.parameter = "five_reduce_w"}, %five_reduce_b: tensor<48xf32> {pg.parameter = "five_reduce_b"},
      %five_w: tensor<5x5x48x128xf32> {pg.parameter = "five_w"}, %five_b: tensor<128xf32> {pg.parameter = "five_b"},
      %project_w: tensor<1x1x832x128xf32> {pg.parameter = "project_w"}, %project_b: tensor<128xf32> {pg.parameter = "project_b"}) -> tensor<1x6x6x1024xf32> {
    %zero = arith.constant 0.0 : f32
    %least = arith.constant 0xFF800000 : f32
    %one_e = tensor.empty() : tensor<1x6x6x384xf32>
    %one_f = linalg.fill ins(%zero : f32) outs(%one_e : tensor<1x6x6x384xf32>) -> tensor<1x6x6x384xf32>
    %one_c = linalg.conv_2d_nhwc_hwcf ins(%image, %one_w : tensor<1x6x6x832xf32>, tensor<1x1x832x384xf32>) outs(%one_f : tensor<1x6x6x384xf32>) -> tensor<1x6x6x384xf32>
    %one = linalg.generic {indexing_maps = [#image, #channel, #image], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
        ins(%one_c, %one_b : tensor<1x6x6x384xf32>, tensor<384xf32>) outs(%one_e : tensor<1x6x6x384xf32>) {
    ^bb0(%x: f32, %b: f32, %old: f32):
      %sum = arith.addf %x, %b : f32
      %relu = arith.maximumf %sum, %zero : f32
      linalg.yield %relu : f32
    } -> tensor<1x6x6x384xf32>
    %three_reduce_e = tensor.empty() : tensor<1x6x6x192xf32>
    %three_reduce_f = linalg.fill ins(%zero : f32) outs(%three_reduce_e : tensor<1x6x6x192xf32>) -> tensor<1x6x6x192xf32>
    %three_reduce_c = linalg.conv_2d_nhwc_hwcf ins(%image, %three_reduce_w : tensor<1x6x6x832xf32>, tensor<1x1x832x192xf32>) outs(%three_reduce_f : tensor<1x6x6x192xf32>) -> tensor<1x6x6x192xf32>
    %three_reduce = linalg.generic {indexing_maps = [#image, #channel, #image], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
        ins(%three_reduce_c, %three_reduce_b : tensor<1x6x6x192xf32>, tensor<192xf32>) outs(%three_reduce_e : tensor<1x6x6x192xf32>) {
    ^bb0(%x: f32, %b: f32, %old: f32):
      %sum = arith.addf %x, %b : f32
      %relu = arith.maximumf %sum, %zero : f32
      linalg.yield %relu : f32
    } -> tensor<1x6x6x192xf32>
    %three_pad = tensor.pad %three_reduce low[0, 1, 1, 0] high[0, 1, 1, 0] {
    ^bb0(%n: index, %y: index, %x: index, %c: index):
      tensor.yield %zero : f32
    } : tensor<1x6x6x192xf32> to tensor<1x8x8x192xf32>
    %three_e = tensor.empty() : tensor<1x6x6x384xf32>
    %three_f = linalg.fill ins(%zero : f32) outs(%three_e : tensor<1x6x6x384xf32>) -> tensor<1x6x6x384xf32>
    %three_c = linalg.conv_2d_nhwc_hwcf ins(%three_pad, %three_w : tensor<1x8x8x192xf32>, tensor<3x3x192x384xf32>) outs(%three_f : tensor<1x6x6x384xf32>) -> tensor<1x6x6x384xf32>
    %three = linalg.generic {indexing_maps = [#image, #channel, #image], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
        ins(%three_c, %three_b : tensor<1x6x6x384xf32>, tensor<384xf32>) outs(%three_e : tensor<1x6x6x384xf32>) {
    ^bb0(%x: f32, %b: f32, %old: f32):
      %sum = arith.addf %x, %b : f32
      %relu = arith.maximumf %sum, %zero : f32
      linalg.yield %relu : f32
    } -> tensor<1x6x6x384xf32>
    %five_reduce_e = tensor.empty() : tensor<1x6x6x48xf32>
    %five_reduce_f = linalg.fill ins(%zero : f32) outs(%five_reduce_e : tensor<1x6x6x48xf32>) -> tensor<1x6x6x48xf32>
    %five_reduce_c = linalg.conv_2d_nhwc_hwcf ins(%image, %five_reduce_w : tensor<1x6x6x832xf32>, tensor<1x1x832x48xf32>) outs(%five_reduce_f : tensor<1x6x6x48xf32>) -> tensor<1x6x6x48xf32>
    %five_reduce = linalg.generic {indexing_maps = [#image, #channel, #image], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
        ins(%five_reduce_c, %five_reduce_b : tensor<1x6x6x48xf32>, tensor<48xf32>) outs(%five_reduce_e : tensor<1x6x6x48xf32>) {
    ^bb0(%x: f32, %b: f32, %old: f32):
      %sum = arith.addf %x, %b : f32
      %relu = arith.maximumf %sum, %zero : f32
      linalg.yield %relu : f32
    } -> tensor<1x6x6x48xf32>
    %five_pad = tensor.pad %five_reduce low[0, 2, 2, 0] high[0, 2, 2, 0] {
    ^bb0(%n: index, %y: index, %x: index, %c: index):
      tensor.yield %zero : f32
    } : tensor<1x6x6x48xf32> to tensor<1x10x10x48xf32>
    %five_e = tensor.empty() : tensor<1x6x6x128xf32>
    %five_f = linalg.fill ins(%zero : f32) outs(%five_e : tensor<1x6x6x128xf32>) -> tensor<1x6x6x128xf32>
    %five_c = linalg.conv_2d_nhwc_hwcf ins(%five_pad, %five_w : tensor<1x10x10x48xf32>, tensor<5x5x48x128xf32>) outs(%five_f : tensor<1x6x6x128xf32>) -> tensor<1x6x6x128xf32>
    %five = linalg.generic {indexing_maps = [#image, #channel, #image], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
        ins(%five_c, %five_b : tensor<1x6x6x128xf32>, tensor<128xf32>) outs(%five_e : tensor<1x6x6x128xf32>) {
    ^bb0(%x: f32, %b: f32, %old: f32):
      %sum = arith.addf %x, %b : f32
      %relu = arith.maximumf %sum, %zero : f32
      linalg.yield %relu : f32
    } -> tensor<1x6x6x128xf32>
    %pool_pad = tensor.pad %image low[0, 1, 1, 0] high[0, 1, 1, 0] {
    ^bb0(%n: index, %y: index, %x: index, %c: index):
      tensor.yield %least : f32
    } : tensor<1x6x6x832xf32> to tensor<1x8x8x832xf32>
    %window = tensor.empty() : tensor<3x3xf32>
    %pool_e = tensor.empty() : tensor<1x6x6x832xf32>
    %pool_f = linalg.fill ins(%least : f32) outs(%pool_e : tensor<1x6x6x832xf32>) -> tensor<1x6x6x832xf32>
    %pool = linalg.pooling_nhwc_max ins(%pool_pad, %window : tensor<1x8x8x832xf32>, tensor<3x3xf32>) outs(%pool_f : tensor<1x6x6x832xf32>) -> tensor<1x6x6x832xf32>
    %project_e = tensor.empty() : tensor<1x6x6x128xf32>
    %project_f = linalg.fill ins(%zero : f32) outs(%project_e : tensor<1x6x6x128xf32>) -> tensor<1x6x6x128xf32>
    %project_c = linalg.conv_2d_nhwc_hwcf ins(%pool, %project_w : tensor<1x6x6x832xf32>, tensor<1x1x832x128xf32>) outs(%project_f : tensor<1x6x6x128xf32>) -> tensor<1x6x6x128xf32>
    %project = linalg.generic {indexing_maps = [#image, #channel, #image], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
        ins(%project_c, %project_b : tensor<1x6x6x128xf32>, tensor<128xf32>) outs(%project_e : tensor<1x6x6x128xf32>) {
    ^bb0(%x: f32, %b: f32, %old: f32):
      %sum = arith.addf %x, %b : f32
      %relu = arith.maximumf %sum, %zero : f32
      linalg.yield %relu : f32
    } -> tensor<1x6x6x128xf32>
    %joined = tensor.concat dim(3) %one, %three, %five, %project : (tensor<1x6x6x384xf32>, tensor<1x6x6x384xf32>, tensor<1x6x6x128xf32>, tensor<1x6x6x128xf32>) -> tensor<1x6x6x1024xf32>
    return %joined : tensor<1x6x6x1024xf32>
  }
}
