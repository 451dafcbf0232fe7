/**
 * Data of every landed version boots under this one, and is read back as that version answered.
 * `test/support/data/landed_versions.ts` made it; every person and secret in it is made up.
 */
import { expect, setDefaultTimeout, test } from "bun:test";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type Answers, LANDED, LANDED_PASSWORD, LANDED_TOKEN } from "../support/data/landed_versions.ts";
import { bootTestRuntime, type TestRuntime } from "../support/harness/test_runtime.ts";

setDefaultTimeout(120_000);
const VERSIONS = readdirSync(LANDED).flatMap((name) => (name.endsWith(".sql") ? [name.slice(0, -4)] : []));
/** Fields with times of the last use, which reading changes, and counts of permissions. */
const MOVING = /^(?:last_used_at|last_activity_at|last_seen_at|permissions_count)$/;

/** The recorded answer without these fields. Later fields and permissions do not matter. */
function still(answer: unknown): unknown {
  if (Array.isArray(answer)) return answer.map(still);
  if (typeof answer !== "object" || answer === null) return answer;
  const kept = Object.entries(answer).filter(([name]) => !MOVING.test(name));
  return Object.fromEntries(
    kept.map(([name, value]) => [name, name === "permissions" ? among(value) : still(value)] as const),
  );
}

function among(permissions: unknown): unknown {
  return Array.isArray(permissions) ? expect.arrayContaining(permissions) : permissions;
}

async function opened(version: string): Promise<{ runtime: TestRuntime; answers: Answers }> {
  const { answers, files } = JSON.parse(readFileSync(join(LANDED, `${version}.json`), "utf8")) as {
    answers: Answers;
    files: Record<string, string>;
  };
  const runtime = await bootTestRuntime({
    async prepare(store, dataDir) {
      await store.sql.unsafe(readFileSync(join(LANDED, `${version}.sql`), "utf8"));
      for (const [path, content] of Object.entries(files)) {
        const target = join(dataDir, "files", path);
        mkdirSync(dirname(target), { recursive: true });
        writeFileSync(target, Buffer.from(content, "base64"));
      }
    },
  });
  return { runtime, answers };
}

test("there is data of versions that landed", () => {
  expect(VERSIONS.length).toBeGreaterThan(2);
});

for (const version of VERSIONS) {
  test(`data of ${version} boots and is read back as it was answered then`, async () => {
    const { runtime, answers } = await opened(version);
    try {
      const read = (path: string) => runtime.ask("GET", path, { as: LANDED_TOKEN });
      expect(Object.keys(answers).length).toBeGreaterThan(15);
      for (const [path, answer] of Object.entries(answers)) {
        const { status, body } = await read(path);
        expect([path, status]).toEqual([path, 200]);
        expect({ path, ...body }).toMatchObject({ path, ...(still(answer) as object) });
      }

      // Totals of listings are the recorded ones, and search finds the content.
      expect((await read("/api/pages")).body.total).toBe(2);
      // Content that is older than the index is indexed by a job, and jobs of a test's runtime run by `drain`.
      await runtime.runtime.jobs.drain();
      const [found] = (await read("/api/search?query=failover")).body.data;
      expect(found).toMatchObject({ type: "page", id: 1 });
      expect((await read("/api/attachments/2")).body.content).toBe(btoa("Kept through every version"));

      // Recorded tokens and passwords are accepted, and new content can be added.
      const signedIn = await runtime.ask("POST", "/api/session", {
        as: null,
        body: { email: "wanda@example.com", password: LANDED_PASSWORD },
      });
      expect([signedIn.status, signedIn.body.user?.name]).toEqual([200, "Wanda Writer"]);
      const page = { book_id: 1, name: "After the upgrade", html: "<p>zanzibar</p>" };
      const made = await runtime.ask("POST", "/api/pages", { as: LANDED_TOKEN, body: page });
      expect(made.status).toBe(200);
      expect((await read("/api/search?query=zanzibar")).body.data[0].id).toBe(made.body.id);
      expect((await read("/api/recycle-bin")).body.total).toBe(2);
      const binned = (await read("/api/recycle-bin?filter[deletable_type]=page")).body.data[0];
      const back = await runtime.ask("PUT", `/api/recycle-bin/${binned.id}`, { as: LANDED_TOKEN });
      expect([back.status, (await read("/api/pages")).body.total]).toEqual([200, 4]);
    } finally {
      await runtime.stop();
    }
  });
}
