import { expect, test } from "bun:test";
import { RenderCache } from "./render_cache.ts";

const AMPLE_BYTES = 10_000_000;

/** A store of pages by id, each with a version and a text. A rendering is the texts of all pages that the reader sees. */
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

test("a reader of the same permissions gets the cached rendering, after one read of the versions", async () => {
  const store = storeOf(
    new Map([
      [1, ["v1", "one"]],
      [2, ["v1", "two"]],
    ]),
  );
  const cache = new RenderCache(AMPLE_BYTES);
  expect(await cache.htmlFor("page", store.reader("Ann"))).toBe("one two");
  expect(await cache.htmlFor("page", store.reader("Bob"))).toBe("one two");
  expect(store.made).toEqual(["Ann"]);
  expect(store.asked).toEqual([[1, 2]]);
});

test("a reader who sees fewer pages or more gets another rendering, and each stays cached", async () => {
  const store = storeOf(
    new Map([
      [1, ["v1", "one"]],
      [2, ["v1", "secret"]],
    ]),
  );
  const cache = new RenderCache(AMPLE_BYTES);
  const ann = store.reader("Ann");
  const bob = store.reader("Bob", (id) => id === 1);
  const eve = store.reader("Eve", () => false);
  for (let round = 0; round < 3; round++) {
    expect(await cache.htmlFor("page", eve)).toBe("");
    expect(await cache.htmlFor("page", ann)).toBe("one secret");
    expect(await cache.htmlFor("page", bob)).toBe("one");
  }
  expect(store.made).toEqual(["Eve", "Ann", "Bob"]);
});

test("a new version, a deleted page and a restored page show with the next read", async () => {
  const pages = new Map<number, [string, string]>([[1, ["v1", "one"]]]);
  const store = storeOf(pages);
  const cache = new RenderCache(AMPLE_BYTES);
  const read = () => cache.htmlFor("page", store.reader("Ann", undefined, [1]));
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

test("concurrent readers share one rendering, and a failure reaches only the reader whose rendering it was", async () => {
  const store = storeOf(new Map([[1, ["v1", "one"]]]));
  const cache = new RenderCache(AMPLE_BYTES);
  const failing = { ...store.reader("Eve"), render: () => Promise.reject(new Error("too late")) };
  const reads = [failing, ...Array.from({ length: 20 }, () => store.reader("Ann"))];
  const results = await Promise.allSettled(reads.map((reader) => cache.htmlFor("page", reader)));
  expect(results.map((result) => (result.status === "fulfilled" ? result.value : String(result.reason)))).toEqual([
    "Error: too late",
    ...Array.from({ length: 20 }, () => "one"),
  ]);
  expect(store.made).toEqual(["Ann"]);
});

test("the cache stays within its bound, and entries in use stay cached", async () => {
  const text = "x".repeat(1_000);
  const store = storeOf(new Map([[1, ["v1", text]]]));
  const cache = new RenderCache(50_000);
  await cache.htmlFor("used", store.reader("used"));
  await cache.htmlFor("unused", store.reader("unused"));
  for (let n = 0; n < 100; n++) {
    await cache.htmlFor(`page ${n}`, store.reader(`page ${n}`));
    await cache.htmlFor("used", store.reader("used"));
  }
  await cache.htmlFor("unused", store.reader("unused"));
  expect(store.made.filter((name) => name === "used")).toHaveLength(1);
  expect(store.made.filter((name) => name === "unused")).toHaveLength(2);
  // The first entries are gone, and only as many of the last ones remain as fit.
  store.made.length = 0;
  for (let n = 0; n < 100; n++) await cache.htmlFor(`page ${n}`, store.reader(`page ${n}`));
  expect(store.made.length).toBeGreaterThan(80);
});

test("a rendering beyond the bound is not cached, and with a bound of 0 none is", async () => {
  const store = storeOf(new Map([[1, ["v1", "x".repeat(100_000)]]]));
  for (const cache of [new RenderCache(50_000), new RenderCache(0)]) {
    await cache.htmlFor("page", store.reader("Ann"));
    expect(await cache.htmlFor("page", store.reader("Ann"))).toHaveLength(100_000);
  }
  expect(store.made).toHaveLength(4);
});

test("readers of many different permissions do not fill the cache", async () => {
  const store = storeOf(new Map(Array.from({ length: 20 }, (_each, id) => [id, ["v1", String(id)]])));
  const cache = new RenderCache(AMPLE_BYTES);
  const readers = Array.from({ length: 20 }, (_each, n) => store.reader(`${n}`, (id) => id === n));
  for (const [n, reader] of readers.entries()) expect(await cache.htmlFor("page", reader)).toBe(String(n));
  store.made.length = 0;
  for (const [n, reader] of [...readers.entries()].reverse())
    expect(await cache.htmlFor("page", reader)).toBe(String(n));
  expect(store.made).toHaveLength(12);
});

test("readers do not wait long for a delayed rendering, and only one of those who wait renders again", async () => {
  const store = storeOf(new Map([[1, ["v1", "one"]]]));
  const cache = new RenderCache(AMPLE_BYTES);
  const held = Promise.withResolvers<void>();
  const busy = store.reader("busy");
  const first = cache.htmlFor("page", {
    ...busy,
    async render() {
      await held.promise;
      return busy.render();
    },
  });
  const others = ["Ann", "Bob", "Cid"].map((name) => cache.htmlFor("page", store.reader(name)));
  expect(await Promise.all(others)).toEqual(["one", "one", "one"]);
  expect(store.made.length).toBe(1);
  held.resolve();
  expect(await first).toBe("one");
});
