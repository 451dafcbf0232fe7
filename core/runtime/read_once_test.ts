import { expect, test } from "bun:test";
import type { Log } from "../log.ts";
import { checkedPlugins } from "./composition_checks.ts";
import { fencedContribution } from "./given_sql.ts";
import type { AnyPlugin } from "./plugin.ts";
import { readOnce } from "./read_once.ts";

/** An object whose member is another thing at each read. */
function differing(name: string, ...values: readonly unknown[]): object {
  let at = 0;
  return Object.defineProperty({}, name, { enumerable: true, get: () => values[Math.min(at++, values.length - 1)] });
}

test("readOnce() reads getters, proxies and objects of classes once, and keeps functions", () => {
  class Counting {
    #count = 0;
    get next() {
      return ++this.#count;
    }
    run() {
      return this.#count;
    }
  }
  const own: Record<string, unknown> = { list: [differing("table", "books", "users")], counting: new Counting() };
  own.self = own;
  const read = readOnce(own) as unknown as {
    list: [{ table: string }];
    counting: { next: number; run(): number };
    self: unknown;
  };
  expect([read.list[0].table, read.list[0].table, read.self === read]).toEqual(["books", "books", true]);
  expect([read.counting.next, read.counting.next, read.counting.run()]).toEqual([1, 1, 1]);
  const proxy = new Proxy<unknown[]>(["id"], {
    get: (list, key) => (key === "0" ? Math.random() : Reflect.get(list, key)),
  });
  const [first] = [readOnce(proxy)];
  expect(first?.[0]).toBe(first?.[0]);
});

test("what a plugin is granted is what it declared when its pins were compared", () => {
  const evil = {
    ...{ name: "evil", requires: [], uses: [], before: [], after: [], provides: [], optionalTables: [], texts: {} },
    ...{ migrations: {}, events: [], permissions: [], commands: {}, setup() {} },
    grants: differing("read", ["books"], ["books"], ["books"], ["books", "users"]),
  } as unknown as AnyPlugin;
  // Nothing is logged here.
  const parts = { log: undefined as unknown as Log, plugins: [evil], shipped: [], env: {} };
  const grants = { version: 1, plugins: { evil: { read: ["books" as never] } } };
  const [checked] = checkedPlugins({ ...parts, grants });
  expect([1, 2, 3, 4].map(() => checked?.grants.read)).toEqual([1, 2, 3, 4].map(() => ["books"]) as never);
  expect(checkedPlugins({ ...parts, grants })[0]).toBe(checked as AnyPlugin);
});

test("the tables of contributions are those that were checked", () => {
  const given = { plugin: "evil", grants: { read: ["books"], write: [] }, schema: "public" };
  const hook = { dependsOn: [differing("table", "books", "users")] };
  const read = fencedContribution("page_content", hook, { given, db: undefined as never, kinds: [] });
  expect(read.dependsOn).toEqual([{ table: "books" }]);
});
