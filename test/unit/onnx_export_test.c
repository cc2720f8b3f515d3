/// \file The profile in an ONNX model: without the added entries the file is
/// what it was, fields that nobody knows included.
#include "onnx_fixture.h"

#include "import/export_onnx.h"

#include <unistd.h>

static char folder[] = "/tmp/pgopt-onnx-export-XXXXXX";
static char model_path[64], module_path[64], out_path[64];

/// Two operations of the node "r", one of the node that makes "y".
static const char module_text[] =
    "module attributes {pg.lflops = 45 : i64} {\n"
    "  func.func @test(%x: tensor<3x5xf32>) -> tensor<3x5xf32> {\n"
    "    %0 = math.absf %x {pg.lflops = 15 : i64, pg.bytes = 120 : i64,\n"
    "        pg.kernel = \"k0\"} : tensor<3x5xf32> loc(\"r\")\n"
    "    %1 = math.absf %0 {pg.lflops = 15 : i64, pg.bytes = 120 : i64,\n"
    "        pg.kernel = \"k0\", pg.timing = #pg_timing} : tensor<3x5xf32>\n"
    "        loc(fused[\"nothing\", \"r\"])\n"
    "    %2 = math.absf %1 {pg.lflops = 15 : i64, pg.kernel = \"k1\",\n"
    "        pg.core = 1 : i64, pg.slot = 4 : i64} : tensor<3x5xf32> "
    "loc(\"y\")\n"
    "    return %2 : tensor<3x5xf32>\n"
    "  }\n"
    "}\n";
static const char timing[] =
    "{mad_ns = 1 : i64, median_ns = 70 : i64, min_ns = 60 : i64, runs = 9 : "
    "i64, source = \"in-place\"}";

static void write_file(const char *path, const void *bytes, size_t size) {
  FILE *file = fopen(path, "wb");
  CHECK(file && fwrite(bytes, 1, size, file) == size && !fclose(file));
}

static uint8_t *read_file(const char *path, size_t *size) {
  uint8_t *bytes = malloc(1 << 16);
  FILE *file = fopen(path, "rb");
  CHECK(file != NULL);
  *size = file ? fread(bytes, 1, 1 << 16, file) : 0;
  if (file)
    fclose(file);
  return bytes;
}

static void write_module(void) {
  char text[2048];
  const char *at = strstr(module_text, "#pg_timing");
  snprintf(text, sizeof text, "%.*s%s%s", (int)(at - module_text), module_text,
           timing, at + strlen("#pg_timing"));
  write_file(module_path, text, strlen(text));
}

/// Field 200 of every message, which no schema has.
static void add_unknown(ProtobufCMessage *message) {
  static uint8_t number[] = {0x96, 1};
  static ProtobufCMessageUnknownField field = {200, PROTOBUF_C_WIRE_TYPE_VARINT,
                                               sizeof number, number};
  message->n_unknown_fields = 1;
  message->unknown_fields = &field;
}

static void make_model(fixture *f) {
  static const int64_t shape[] = {3, 5};
  static const float data[15] = {1};
  begin(f, 13);
  f->model.has_ir_version = 1;
  f->model.ir_version = 7;
  f->model.producer_name = "somebody";
  add_input(f, "x", 2, shape);
  Pgopt__Onnx__Tensor *w =
      add_initializer(f, "w", 1, 2, (int64_t[]){3, 5}, data, sizeof data);
  char *first[] = {"x", "w"}, *second[] = {"r"};
  Pgopt__Onnx__Node *add = add_node(f, "Add", "s", 2, first);
  add->name = "r";
  set_int(f, add, "broadcast", 1);
  add_node(f, "Abs", "y", 1, second);
  f->node_list[1]->input[0] = "s";
  add_output(f, "y");
  pgopt__onnx__entry__init(&f->entries[0]);
  f->entries[0].key = "other.note";
  f->entries[0].value = "kept";
  f->entry_list[0] = &f->entries[0];
  add->metadata_props = f->entry_list;
  add->n_metadata_props = 1;
  add_unknown(&f->model.base);
  add_unknown(&f->graph.base);
  add_unknown(&add->base);
  add_unknown(&f->attributes[0][0].base);
  add_unknown(&w->base);
  add_unknown(&f->values[0].base);
  add_unknown(&f->opset.base);
}

static const char *find_entry(Pgopt__Onnx__Entry *const *entries, size_t count,
                              const char *key) {
  for (size_t i = 0; i < count; ++i)
    if (!strcmp(entries[i]->key, key))
      return entries[i]->value;
  return NULL;
}

/// Frees the entries that the export has added.
static void remove_added(Pgopt__Onnx__Entry **entries, size_t *count) {
  size_t kept = 0;
  for (size_t i = 0; i < *count; ++i)
    if (strncmp(entries[i]->key, "pgopt.", 6))
      entries[kept++] = entries[i];
    else
      pgopt__onnx__entry__free_unpacked(entries[i], NULL);
  *count = kept;
}

static void check_nodes(const Pgopt__Onnx__Model *m) {
  const Pgopt__Onnx__Node *r = m->graph->node[0], *y = m->graph->node[1];
#define ENTRY(node, key)                                                       \
  find_entry((node)->metadata_props, (node)->n_metadata_props, key)
  CHECK_EQ_TEXT(ENTRY(r, "other.note"), "kept");
  CHECK_EQ_TEXT(ENTRY(r, "pgopt.lflops"), "30"); // 15 + 15
  CHECK_EQ_TEXT(ENTRY(r, "pgopt.bytes"), "240");
  CHECK_EQ_TEXT(ENTRY(r, "pgopt.timing_ns"), "70");
  CHECK_EQ_TEXT(ENTRY(r, "pgopt.kernel"), "k0");
  CHECK(!ENTRY(r, "pgopt.core"));
  CHECK_EQ_TEXT(ENTRY(y, "pgopt.lflops"), "15");
  CHECK_EQ_TEXT(ENTRY(y, "pgopt.core"), "1");
  CHECK_EQ_TEXT(ENTRY(y, "pgopt.slot"), "4");
  CHECK_EQ_TEXT(ENTRY(m, "pgopt.lflops"), "45");
  CHECK_EQ_I64(m->ir_version, 7);
}

static void test_export(void) {
  fixture f;
  size_t size, out_size, again_size;
  pgopt_error error = {0};
  make_model(&f);
  uint8_t *original = pack(&f, &size);
  write_file(model_path, original, size);
  write_module();
  CHECK_EQ_I64(pgopt_export_onnx(module_path, model_path, out_path, &error),
               PGOPT_OK);
  CHECK_EQ_TEXT(error.message, "");
  uint8_t *out = read_file(out_path, &out_size);
  Pgopt__Onnx__Model *m = pgopt__onnx__model__unpack(NULL, out_size, out);
  if (CHECK(m != NULL)) {
    check_nodes(m);
    for (size_t i = 0; i < m->graph->n_node; ++i)
      remove_added(m->graph->node[i]->metadata_props,
                   &m->graph->node[i]->n_metadata_props);
    remove_added(m->metadata_props, &m->n_metadata_props);
    uint8_t *packed = malloc(pgopt__onnx__model__get_packed_size(m));
    CHECK_EQ_I64(pgopt__onnx__model__pack(m, packed), size);
    CHECK(!memcmp(packed, original, size));
    free(packed);
    pgopt__onnx__model__free_unpacked(m, NULL);
  }
  // A second export takes the place of the first.
  CHECK_EQ_I64(pgopt_export_onnx(module_path, out_path, out_path, &error),
               PGOPT_OK);
  uint8_t *again = read_file(out_path, &again_size);
  CHECK(again_size == out_size && !memcmp(again, out, out_size));
  free(again);
  free(out);
  free(original);
}

static void test_refused(void) {
  pgopt_error error = {0};
  CHECK(pgopt_export_onnx(module_path, module_path, out_path, &error) !=
        PGOPT_OK);
  CHECK(pgopt_export_onnx(module_path, model_path, "/nonexistent/out",
                          &error) == PGOPT_IO);
}

int main(void) {
  if (!CHECK(mkdtemp(folder) != NULL))
    return check_result();
  snprintf(model_path, sizeof model_path, "%s/m.onnx", folder);
  snprintf(module_path, sizeof module_path, "%s/m.mlir", folder);
  snprintf(out_path, sizeof out_path, "%s/out.onnx", folder);
  test_export();
  test_refused();
  CHECK(!unlink(model_path) && !unlink(module_path) && !unlink(out_path));
  CHECK(!rmdir(folder));
  return check_result();
}
