import { afterAll, beforeAll, expect, test } from "bun:test";
import { bootTestRuntime, type TestRuntime } from "../support/harness/test_runtime.ts";

const LIMIT = 1_000_000;
let runtime: TestRuntime;

beforeAll(async () => {
  runtime = await bootTestRuntime({
    env: { MAX_TEXT_BYTES: String(LIMIT) },
    // The limit of a page, a quarter of it, is not what is meant here.
    constants: { markup: { maxContentBytes: LIMIT } },
  });
});

afterAll(() => runtime.stop());

const json = { "content-type": "application/json" };
const create = (body: unknown, headers: Record<string, string> = json) =>
  runtime.ask("POST", "/api/books", { body: typeof body === "string" ? body : JSON.stringify(body), headers });
/** A body of so many bytes. */
const sized = (bytes: number) => {
  const start = '{"name":"Sized","unknown":"';
  return `${start}${"x".repeat(bytes - start.length - 2)}"}`;
};

test("a large JSON body is read as a small one is", async () => {
  const filler = "y".repeat(200_000);
  const { status, body } = await create({
    name: "  Large \u0000 ",
    description: " a ",
    filler,
    tags: [{ name: " t ", value: "v" }],
  });
  expect(status).toBe(200);
  expect(body).toMatchObject({ name: "Large", description: "a" });
  const read = await runtime.ask("GET", `/api/books/${body.id}`);
  expect(read.body.tags).toMatchObject([{ name: "t", value: "v" }]);
  const { body: page } = await runtime.ask("POST", "/api/pages", {
    body: { book_id: body.id, name: "p", html: `<p>\ufeff${"ż😀".repeat(60_000)}</p>` },
  });
  expect(page.raw_html).toContain(`>\ufeff${"ż😀".repeat(60_000)}</p>`);
});

test("a large urlencoded body is read as a small one is", async () => {
  const form = { name: " Large ", "tags[0][name]": "t", filler: "ż ".repeat(60_000) };
  const { status, body } = await runtime.ask("POST", "/api/books", { form });
  expect({ status, name: body.name }).toEqual({ status: 200, name: "Large" });
});

test("what is wrong with a large body is said as for a small one", async () => {
  const filler = "y".repeat(200_000);
  expect((await create(`{"name": "a", "filler": "${filler}"`)).body.error).toEqual({
    message: "The request body could not be parsed as JSON.",
    code: 400,
  });
  expect((await create({ filler })).body.error).toMatchObject({
    validation: { name: ["The name field is required."] },
  });
  const values = await create(`{"a":[${"1,".repeat(100_000)}1]}`);
  expect(values.body.error.message).toBe("The request has more than the 100000 values allowed.");
  const deep = await create(`{"a":${"[".repeat(70_000)}${"]".repeat(70_000)}}`);
  expect(deep.body.error.message).toBe("The request nests values more than 64 deep.");
});

test("texts are limited apart from files, up to the limit and not beyond", async () => {
  expect((await create(sized(LIMIT))).status).toBe(200);
  expect((await create(sized(LIMIT + 1))).status).toBe(413);
  const form = { "content-type": "application/x-www-form-urlencoded" };
  expect((await create(`name=a&b=${"x".repeat(LIMIT - 9)}`, form)).status).toBe(200);
  expect((await create(`name=a&b=${"x".repeat(LIMIT - 8)}`, form)).status).toBe(413);
  const parts = (bytes: number) => {
    const data = new FormData();
    data.set("name", "a");
    data.set("b", "x".repeat(bytes - 1));
    data.set("unknown", new File([new Uint8Array(2 * LIMIT)], "a.bin"));
    return runtime.ask("POST", "/api/books", { parts: data });
  };
  expect((await parts(LIMIT)).status).toBe(200);
  expect((await parts(LIMIT + 1)).status).toBe(413);
});

test("short values have a limit of their own, as the server has to read them again", async () => {
  const wide = await bootTestRuntime({ beside: runtime });
  try {
    const words = Array.from({ length: 9_000 }, () => "x".repeat(500));
    const { status, body } = await wide.ask("POST", "/api/books", { body: { name: "a", words } });
    expect({ status, message: body.error.message }).toEqual({
      status: 400,
      message: "The request has more than the 4000000 characters allowed in short values.",
    });
  } finally {
    await wide.stop();
  }
});
