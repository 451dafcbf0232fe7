/**
 * Cached renderings of includes are never stale: after any change and for any reader, a page shows what that reader may see of
 * the included pages at that moment.
 */
import { afterAll, beforeAll, expect, setDefaultTimeout, spyOn, test } from "bun:test";
import type { Contracts } from "lectern/core";
import { sql } from "lectern/core";
import { rows } from "lectern/db";
import { ALL, NOTHING, overrideTools } from "../support/data/sample_overrides.ts";
import { bootTestRuntime, type TestRuntime } from "../support/harness/test_runtime.ts";

setDefaultTimeout(60_000);

let runtime: TestRuntime;
let other: TestRuntime;
let rendered: ReturnType<typeof spyOn<Contracts["markup"], "render">>;
beforeAll(async () => {
  runtime = await bootTestRuntime();
  other = await bootTestRuntime({ beside: runtime });
  const { contracts } = runtime.contexts.get("pages") as { contracts: Contracts };
  rendered = spyOn(contracts.markup, "render");
});
afterAll(async () => {
  await other.stop();
  await runtime.stop();
});
const { made, permit } = overrideTools(() => runtime);

const VIEWING = ["access-api", "content-export", "book-view-all", "page-view-all"];

/** A page that includes two others, of which one includes a third. */
async function sampleContent() {
  const book = await made("books", { name: "Open" });
  const closed = await made("books", { name: "Closed" });
  const page = (text: string) => made("pages", { book_id: book, name: "Part", html: `<p id="bkmrk-x">${text}</p>` });
  const third = await page("third");
  const second = await page(`second {{@${third}#bkmrk-x}}`);
  const first = await page("first");
  const outer = await page(`[{{@${first}#bkmrk-x}}] [{{@${second}#bkmrk-x}}]`);
  const [ann, bob] = [await runtime.person("Ann", VIEWING), await runtime.person("Bob", VIEWING)];
  await permit("book", closed, { role_permissions: [{ role_id: bob.role, ...NOTHING }] });
  const read = async (as: string, from = runtime) =>
    /^<p id="bkmrk-x">(.*)<\/p>$/.exec((await from.ask("GET", `/api/pages/${outer}`, { as })).body.html)?.[1];
  return { book, closed, first, second, third, outer, ann, bob, read };
}

test("a page is rendered once for readers of the same rights, and again when a part of it changes", async () => {
  const { ann, bob, third, outer, read } = await sampleContent();
  rendered.mockClear();
  // The answer to its writer was the first rendering.
  const reads = await Promise.all([ann, bob, ann, bob, ann].map(({ token }) => read(token)));
  expect(new Set(reads)).toEqual(new Set(["[first] [second third]"]));
  expect(rendered).toHaveBeenCalledTimes(0);
  await runtime.ask("PUT", `/api/pages/${third}`, { body: { html: '<p id="bkmrk-x">3rd</p>' } });
  for (const { token } of [ann, bob]) expect(await read(token)).toBe("[first] [second 3rd]");
  const exported = await runtime.ask("GET", `/api/pages/${outer}/export/html`, { as: ann.token });
  expect(String(exported.body)).toContain("[first] [second 3rd]");
  expect(rendered).toHaveBeenCalledTimes(1);
});

test("two readers of different rights take turns, and neither gets what the other sees", async () => {
  const { ann, bob, first, third, read } = await sampleContent();
  await permit("page", first, { role_permissions: [{ role_id: bob.role, ...NOTHING }] });
  await permit("page", third, { role_permissions: [{ role_id: ann.role, ...NOTHING }] });
  rendered.mockClear();
  for (let turn = 0; turn < 3; turn++) {
    expect(await read(ann.token)).toBe("[first] [second ]");
    expect(await read(bob.token)).toBe("[] [second third]");
    expect(await read(runtime.token)).toBe("[first] [second third]");
  }
  expect(rendered).toHaveBeenCalledTimes(3);
});

test("a write without a revision is seen as well, and at once on a second server", async () => {
  const { ann, first, read } = await sampleContent();
  expect([await read(ann.token), await read(ann.token, other)]).toEqual(Array(2).fill("[first] [second third]"));
  await rows(runtime.db, sql`update pages set html = '<p id="bkmrk-x">1st</p>' where id = ${first}`);
  expect([await read(ann.token), await read(ann.token, other)]).toEqual(Array(2).fill("[1st] [second third]"));
  await runtime.ask("DELETE", `/api/pages/${first}`);
  expect([await read(ann.token), await read(ann.token, other)]).toEqual(Array(2).fill("[] [second third]"));
});

test("after each of many changes every reader sees what that reader may see", async () => {
  const { book, closed, first, second, third, outer, ann, bob, read } = await sampleContent();
  await permit("page", outer, { role_permissions: [{ role_id: bob.role, ...ALL }] });
  const parts = [first, second, third];
  const texts = new Map([
    [first, "first"],
    [second, "second"],
    [third, "third"],
  ]);
  const content = (id: number) =>
    `<p id="bkmrk-x">${texts.get(id)}${id === second ? ` {{@${third}#bkmrk-x}}` : ""}</p>`;
  const wanted = async (as: string) => {
    const [a, b, c] = await Promise.all(
      parts.map(async (id) => (await runtime.ask("GET", `/api/pages/${id}`, { as })).status === 200),
    );
    return `[${a ? texts.get(first) : ""}] [${b ? `${texts.get(second)} ${c ? texts.get(third) : ""}` : ""}]`;
  };
  const change = (id: number, body: object) => runtime.ask("PUT", `/api/pages/${id}`, { body });
  const roleOf = (permissions: string[]) => runtime.ask("PUT", `/api/roles/${bob.role}`, { body: { permissions } });
  const restore = async () => {
    for (const { id } of (await runtime.ask("GET", "/api/recycle-bin")).body.data)
      await runtime.ask("PUT", `/api/recycle-bin/${id}`);
  };
  let count = 0;
  const changes: ((id: number) => Promise<unknown>)[] = [
    (id) => {
      texts.set(id, `text ${++count}`);
      return change(id, { html: content(id) });
    },
    (id) => change(id, { name: `Renamed ${++count}` }),
    (id) => runtime.ask("DELETE", `/api/pages/${id}`),
    restore,
    (id) => permit("page", id, { role_permissions: [{ role_id: bob.role, ...NOTHING }] }),
    (id) => permit("page", id, { role_permissions: [], fallback_permissions: null }),
    (id) => change(id, { book_id: closed }),
    (id) => change(id, { book_id: book }),
    () => roleOf(["access-api", "book-view-all", "page-view-own"]),
    () => roleOf(VIEWING),
    () => runtime.ask("PUT", `/api/users/${ann.id}`, { body: { roles: [ann.role, bob.role] } }),
    () => runtime.ask("PUT", `/api/users/${ann.id}`, { body: { roles: [ann.role] } }),
  ];
  const shown = new Set<string>();
  for (let step = 0; step < 72; step++) {
    // Seven and five share no factor with the lengths, so every change meets every page.
    await changes[(step * 7) % changes.length]?.(parts[(step * 5 + Math.floor(step / 12)) % parts.length] as number);
    for (const as of [ann.token, bob.token, runtime.token]) {
      const expected = await wanted(as);
      shown.add(expected.replaceAll(/text \d+/g, "text"));
      expect([step, as, await read(as), await read(as)]).toEqual([step, as, expected, expected]);
    }
  }
  expect(shown.size).toBeGreaterThan(6);
});
