/**
 * Tags over the API, seen through books: their order, what is dropped, what is refused, and that items of different kinds with
 * one id have separate tags. Single entries are tested beside the plugin.
 */
import { expect } from "bun:test";
import { create, openStage, scenario } from "../support/harness/scenario.ts";

const stage = openStage({ reader: ["book-view-all"] }, [create("book", "/api/books", { name: "T" })]);
const exactly =
  (...tags: [name: string, value: string][]) =>
  (body: unknown) =>
    expect((body as { tags: unknown }).tags).toEqual(tags.map(([name, value]) => ({ name, value, order: 0 })));
scenario(stage, "tags keep the order of the request", {
  request: "POST /api/books",
  body: {
    name: "T",
    tags: [
      { name: "b", value: "2" },
      { name: "a", value: "1" },
    ],
  },
  status: 200,
  check: exactly(["b", "2"], ["a", "1"]),
});
for (const [what, tags, expected] of [
  [
    "padding around tags goes",
    [{ name: "  padded  ", value: "  inside  " }, { name: "alone" }],
    [
      ["padded", "inside"],
      ["alone", ""],
    ],
  ],
  [
    "tags without a name are dropped",
    [{ name: "", value: "x" }, { value: "y" }, "text", null, { name: "0" }, { name: "real" }],
    [["real", ""]],
  ],
  [
    "equal tags are kept",
    [
      { name: "twin", value: "x" },
      { name: "twin", value: "x" },
    ],
    [
      ["twin", "x"],
      ["twin", "x"],
    ],
  ],
  ["tags may be an object instead of a list", { one: { name: "from", value: "object" } }, [["from", "object"]]],
  ["tags may be in any script", [{ name: "ünï", value: "価値 🏷" }], [["ünï", "価値 🏷"]]],
  ["an order sent with a tag is not kept", [{ name: "order", value: "mine", order: 7, id: 3 }], [["order", "mine"]]],
] as const) {
  scenario(stage, what, [
    create("book", "/api/books", { name: "Changed", tags: [{ name: "old" }] }),
    {
      request: "PUT /api/books/{book}",
      body: { tags },
      status: 200,
      check: exactly(...(expected as unknown as [string, string][])),
    },
  ]);
}
scenario(stage, "tags that are not sent stay", [
  create("book", "/api/books", { name: "Stay", tags: [{ name: "order", value: "mine" }] }),
  {
    name: "an update without tags",
    request: "PUT /api/books/{book}",
    body: { name: "T" },
    status: 200,
    check: exactly(["order", "mine"]),
  },
  {
    name: "a reader reads them",
    as: "reader",
    request: "GET /api/books/{book}",
    status: 200,
    check: exactly(["order", "mine"]),
  },
]);
scenario(stage, "forms send tags in brackets", [
  create("book", "/api/books", { name: "Form", tags: [{ name: "old" }] }),
  {
    request: "POST /api/books/{book}",
    form: { _method: "PUT", "tags[0][name]": "first", "tags[0][value]": "A", "tags[1][name]": "second" },
    status: 200,
    check: exactly(["first", "A"], ["second", ""]),
  },
]);
scenario(stage, "other kinds with the same id have their own", [
  {
    name: "other kinds with the same id have their own",
    request: "POST /api/shelves",
    body: { name: "S", tags: [{ name: "shelf" }] },
    status: 200,
    holds: { id: "{book}" },
    check: exactly(["shelf", ""]),
  },
]);
scenario(stage, "a name that is too long is refused and changes nothing", [
  create("book", "/api/books", { name: "T", tags: [{ name: "first", value: "A" }, { name: "second" }] }),
  {
    name: "refused",
    request: "PUT /api/books/{book}",
    body: { name: "Renamed", tags: [{ name: "fine" }, { name: "ok", value: "v".repeat(256) }] },
    status: 422,
    holds: {
      error: {
        message: "The given data was invalid.",
        validation: { "tags.1.value": ["The tags.1.value may not be greater than 255 characters."] },
      },
    },
  },
  {
    name: "as a read shows",
    request: "GET /api/books/{book}",
    status: 200,
    holds: { name: "T" },
    check: exactly(["first", "A"], ["second", ""]),
  },
]);
scenario(stage, "an empty list clears tags", [
  create("book", "/api/books", { name: "Clear", tags: [{ name: "old" }] }),
  {
    request: "PUT /api/books/{book}",
    body: { tags: [] },
    status: 200,
    check: exactly(),
  },
]);
scenario(stage, "null is refused", {
  request: "PUT /api/books/{book}",
  body: { tags: null },
  status: 422,
  holds: { error: { validation: { tags: ["The tags must be an array."] } } },
});
