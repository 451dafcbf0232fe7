import { expect, test } from "bun:test";
import { Renderings } from "./renderings.ts";

const MUCH = 10_000_000;

/** Pages in a store, by id: a version and a text; what is rendered is all of them that the reader sees. */
function storeOf(pages: Map<number, [version: string, text: string]>) {
  const made: string[] = [];
  const asked: number[][] = [];
  return {
    made,
    asked,
    reader: (name: string, sees: (id: number) => boolean = () => true, ids = [...pages.keys()]) => {
      const seen = () => new Map([...pages].filter(([id]) => ids.includes(id) && sees(id)));
      return {
        versions: async (wanted: readonly number[]) => {
          asked.push([...wanted]);
          return new Map([...seen()].filter(([id]) => wanted.includes(id)).map(([id, [version]]) => [id, version]));
        },
        render: async () => {
          made.push(name);
          const found = seen();
          return {
            html: [...found.values()].map(([, text]) => text).join(" "),
            versions: new Map(ids.map((id) => [id, found.get(id)?.[0] ?? null])),
          };
        },
      };
    },
  };
}

test("a reader of the same rights gets what was rendered, after one look at the versions", async () => {
  const store = storeOf(
    new Map([
      [1, ["v1", "one"]],
      [2, ["v1", "two"]],
    ]),
  );
  const renderings = new Renderings(MUCH);
  expect(await renderings.htmlFor("page", store.reader("Ann"))).toBe("one two");
  expect(await renderings.htmlFor("page", store.reader("Bob"))).toBe("one two");
  expect(store.made).toEqual(["Ann"]);
  expect(store.asked).toEqual([[1, 2]]);
});

test("who sees fewer pages, or more, gets another rendering, and each stays", async () => {
  const store = storeOf(
    new Map([
      [1, ["v1", "one"]],
      [2, ["v1", "secret"]],
    ]),
  );
  const renderings = new Renderings(MUCH);
  const ann = store.reader("Ann");
  const bob = store.reader("Bob", (id) => id === 1);
  const eve = store.reader("Eve", () => false);
  for (let round = 0; round < 3; round++) {
    expect(await renderings.htmlFor("page", eve)).toBe("");
    expect(await renderings.htmlFor("page", ann)).toBe("one secret");
    expect(await renderings.htmlFor("page", bob)).toBe("one");
  }
  expect(store.made).toEqual(["Eve", "Ann", "Bob"]);
});

test("another version, a page that goes and one that comes back are seen at once", async () => {
  const pages = new Map<number, [string, string]>([[1, ["v1", "one"]]]);
  const store = storeOf(pages);
  const renderings = new Renderings(MUCH);
  const read = () => renderings.htmlFor("page", store.reader("Ann", undefined, [1]));
  expect(await read()).toBe("one");
  pages.set(1, ["v2", "changed"]);
  expect(await read()).toBe("changed");
  pages.delete(1);
  expect(await read()).toBe("");
  pages.set(1, ["v3", "back"]);
  expect(await read()).toBe("back");
  expect(await read()).toBe("back");
  expect(store.made).toHaveLength(4);
});

test("many at once wait for one rendering, and a failure is nobody's but its own", async () => {
  const store = storeOf(new Map([[1, ["v1", "one"]]]));
  const renderings = new Renderings(MUCH);
  const failing = { ...store.reader("Eve"), render: () => Promise.reject(new Error("too late")) };
  const reads = [failing, ...Array.from({ length: 20 }, () => store.reader("Ann"))];
  const results = await Promise.allSettled(reads.map((reader) => renderings.htmlFor("page", reader)));
  expect(results.map((result) => (result.status === "fulfilled" ? result.value : String(result.reason)))).toEqual([
    "Error: too late",
    ...Array.from({ length: 20 }, () => "one"),
  ]);
  expect(store.made).toEqual(["Ann"]);
});

test("what is kept stays within its bound, and what is read goes on being kept", async () => {
  const text = "x".repeat(1_000);
  const store = storeOf(new Map([[1, ["v1", text]]]));
  const renderings = new Renderings(50_000);
  await renderings.htmlFor("used", store.reader("used"));
  await renderings.htmlFor("unused", store.reader("unused"));
  for (let n = 0; n < 100; n++) {
    await renderings.htmlFor(`page ${n}`, store.reader(`page ${n}`));
    await renderings.htmlFor("used", store.reader("used"));
  }
  await renderings.htmlFor("unused", store.reader("unused"));
  expect(store.made.filter((name) => name === "used")).toHaveLength(1);
  expect(store.made.filter((name) => name === "unused")).toHaveLength(2);
  // None of the first ones is left, and of the last ones no more than fit.
  store.made.length = 0;
  for (let n = 0; n < 100; n++) await renderings.htmlFor(`page ${n}`, store.reader(`page ${n}`));
  expect(store.made.length).toBeGreaterThan(80);
});

test("what is too large is not kept, and with no memory nothing is", async () => {
  const store = storeOf(new Map([[1, ["v1", "x".repeat(100_000)]]]));
  for (const renderings of [new Renderings(50_000), new Renderings(0)]) {
    await renderings.htmlFor("page", store.reader("Ann"));
    expect(await renderings.htmlFor("page", store.reader("Ann"))).toHaveLength(100_000);
  }
  expect(store.made).toHaveLength(4);
});

test("readers of many different rights do not fill it", async () => {
  const store = storeOf(new Map(Array.from({ length: 20 }, (_each, id) => [id, ["v1", String(id)]])));
  const renderings = new Renderings(MUCH);
  const readers = Array.from({ length: 20 }, (_each, n) => store.reader(`${n}`, (id) => id === n));
  for (const [n, reader] of readers.entries()) expect(await renderings.htmlFor("page", reader)).toBe(String(n));
  store.made.length = 0;
  for (const [n, reader] of [...readers.entries()].reverse())
    expect(await renderings.htmlFor("page", reader)).toBe(String(n));
  expect(store.made).toHaveLength(12);
});

test("nobody waits long for a rendering that another's tasks hold up, and only one is made anew for all who wait", async () => {
  const store = storeOf(new Map([[1, ["v1", "one"]]]));
  const renderings = new Renderings(MUCH);
  const held = Promise.withResolvers<void>();
  const busy = store.reader("busy");
  const first = renderings.htmlFor("page", {
    ...busy,
    async render() {
      await held.promise;
      return busy.render();
    },
  });
  const others = ["Ann", "Bob", "Cid"].map((name) => renderings.htmlFor("page", store.reader(name)));
  expect(await Promise.all(others)).toEqual(["one", "one", "one"]);
  expect(store.made.length).toBe(1);
  held.resolve();
  expect(await first).toBe("one");
});
