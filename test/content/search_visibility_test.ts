/** What a search by relevance finds is exactly what the viewer may see and what has the word, whatever the content and its permissions. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import fc from "fast-check";
import { type AnyContext, definePlugin, SYSTEM, sql, type Viewer } from "lectern/core";
import { rows } from "lectern/db";
import { updateAllAccessLists } from "../../plugins/accounts/content_permissions/propagation.ts";
import { drawnItems, drawnViewer, type NamedItem, worldOf } from "../support/data/drawn_worlds.ts";
import { writeContent } from "../support/data/sample_content.ts";
import { isSeen } from "../support/harness/permission_evaluator.ts";
import { bootTestRuntime, type TestRuntime } from "../support/harness/test_runtime.ts";

/** Asks as any viewer. */
const prober = definePlugin({
  name: "prober",
  grants: { contentTables: ["read"], impersonate: true },
  slots: {},
  setup() {},
});

const WORDS = ["walrus", "gull", "Éclair", "障害", "r&d"];
/** What is asked, and the word that it means. */
const ASKED = {
  walrus: "walrus",
  walruses: "walrus",
  walrsu: "walrus",
  gul: "gull",
  eclair: "Éclair",
  障害: "障害",
  "R&D": "r&d",
};

let runtime: TestRuntime;
let context: AnyContext;
beforeAll(async () => {
  runtime = await bootTestRuntime({ extra: [prober] });
  context = runtime.contexts.get("prober") as AnyContext;
});
afterAll(() => runtime.stop());

/** The content is written behind the index, which is then made anew. */
async function index(): Promise<void> {
  await runtime.runtime.bus.perform("app_boot", SYSTEM, {}, async (_, tx) => {
    await updateAllAccessLists(context.slot("content"), tx);
    return {};
  });
  await rows(runtime.db, sql`truncate search_index`);
  await runtime.runtime.bus.perform("app_boot", SYSTEM, {}, async () => ({}));
  await runtime.runtime.jobs.drain();
}

async function foundBy(viewer: Viewer, query: string): Promise<{ found: string[]; total: number; rest: string }> {
  const path = `/api/search?mode=better&facets=true&count=100&query=${encodeURIComponent(query)}`;
  const answer = (await (await context.callAs(viewer, "GET", path)).json()) as {
    data: { type: string; id: number }[];
    total: number;
  };
  const { data, total, ...rest } = answer;
  return { found: data.map(({ type, id }) => `${type} ${id}`).sort(), total, rest: JSON.stringify(rest) };
}

const hasWord = ({ name }: NamedItem, word: string) => name.split(" ").includes(word);

test("what is found, counted and corrected to is what the viewer sees, also after permissions and places have changed", async () => {
  const property = fc.asyncProperty(
    drawnItems(WORDS),
    drawnItems(WORDS),
    fc.array(drawnViewer, { minLength: 3, maxLength: 3 }),
    async (before, after, viewers) => {
      for (const world of [worldOf(before), worldOf(after)]) {
        await writeContent(runtime.db, world);
        await index();
        for (const one of viewers) {
          const viewer: Viewer = { ...one, name: "Somebody", slug: "somebody", via: "token" };
          const seen = world.items.filter((item) => isSeen(viewer, item, world.entries));
          for (const [query, word] of Object.entries(ASKED)) {
            const expected = seen.filter((item) => hasWord(item, word)).map(({ kind, id }) => `${kind} ${id}`);
            const { found, total, rest } = await foundBy(viewer, query);
            expect([query, found, total]).toEqual([query, expected.sort(), expected.length]);
            if (expected.length === 0) expect([query, rest]).toEqual([query, expect.not.stringContaining(word)]);
          }
        }
      }
    },
  );
  await fc.assert(property, { numRuns: 8 });
}, 120_000);
