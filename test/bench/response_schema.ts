/**
 * `bun test/bench/response_schema.ts [rounds]`: microseconds that one answer of Elysia takes within the process, without a
 * schema, with one that checks the answer, and with one that checks the query. The answers are a page and a listing of 100
 * books, as large as the API's. The three take turns; what is shown is the median of the rounds.
 */
import { Elysia, t } from "elysia";

const REQUESTS = 2_000;
const ROUNDS = Number(process.argv[2] ?? 15);

const User = t.Object({ id: t.Integer(), name: t.String(), slug: t.String() });
const Book = t.Object({
  id: t.Integer(),
  name: t.String(),
  slug: t.String(),
  description: t.String(),
  created_at: t.String(),
  updated_at: t.String(),
  created_by: User,
  updated_by: User,
  owned_by: User,
});
const Page = t.Composite([Book, t.Object({ html: t.String(), tags: t.Array(t.Object({ name: t.String() })) })]);
const List = t.Object({ data: t.Array(Book), total: t.Integer() });

const user = { id: 1, name: "Admin", slug: "admin" };
const at = "2026-11-22T00:00:00.000000Z";
const book = {
  id: 1,
  name: "Runbooks",
  slug: "runbooks",
  description: "What to do when",
  created_at: at,
  updated_at: at,
  created_by: user,
  updated_by: user,
  owned_by: user,
};
const page = { ...book, html: "<p>Call the DBA.</p>".repeat(80), tags: [{ name: "night" }, { name: "database" }] };
const list = { data: Array.from({ length: 100 }, () => book), total: 100 };
const query = t.Object({ count: t.Optional(t.Integer({ minimum: 1 })) });

const app = new Elysia({ handler: { standardHostname: false } })
  .get("/plain/page", () => page)
  .get("/query/page", () => page, { query })
  .get("/answer/page", () => page, { response: Page })
  .get("/plain/list", () => list)
  .get("/query/list", () => list, { query })
  .get("/answer/list", () => list, { response: List });

async function timed(path: string): Promise<number> {
  const began = performance.now();
  for (let n = 0; n < REQUESTS; n++) {
    const response = await app.handle(new Request(`http://localhost${path}?count=10`));
    if (response.status !== 200) throw new Error(`Cannot measure: ${path} answers ${response.status}`);
    await response.arrayBuffer();
  }
  return ((performance.now() - began) / REQUESTS) * 1000;
}

const PATHS = ["page", "list"].flatMap((what) => ["plain", "query", "answer"].map((kind) => `/${kind}/${what}`));
const times = new Map<string, number[]>(PATHS.map((path) => [path, []]));
for (const path of PATHS) await timed(path);
for (let round = 0; round < ROUNDS; round++) {
  for (const path of PATHS) times.get(path)?.push(await timed(path));
}
for (const [path, rounds] of times) {
  const median = rounds.sort((a, b) => a - b)[rounds.length >> 1] ?? Number.NaN;
  process.stdout.write(`${path.padEnd(16)} ${median.toFixed(1)} µs\n`);
}
