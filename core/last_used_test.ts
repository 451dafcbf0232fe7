import { expect, test } from "bun:test";
import { ConnectionLost } from "../db/mod.ts";
import { LastUsedBatch } from "./last_used.ts";
import { createLog } from "./log.ts";

/** A batch over a store that fails with `failures`, one a write. */
function opened(failures: unknown[]) {
  const written: (readonly unknown[])[] = [];
  const lines: string[] = [];
  const db = {
    async executeQuery(query: { readonly parameters: readonly unknown[] }) {
      const failure = failures.shift();
      if (failure) throw failure;
      written.push(query.parameters);
      return { rows: [] };
    },
  };
  const options = { table: "tokens", subject: "tokens", columns: { read: { at: "last_used_at" } }, flushMs: 60_000 };
  const log = createLog("info", (line) => void lines.push(line));
  // The batch calls nothing else of the store; the table is any name.
  const batch = new LastUsedBatch<"read">({ ...options, log, db } as never);
  return { batch, written, lines };
}

test("uses that are noted while the store is away are written when it is back, without a line, and later ones stay", async () => {
  const { batch, written, lines } = opened([new ConnectionLost("lost", "ECONNREFUSED")]);
  batch.note("read", 1, "", 1_000);
  batch.note("read", 2, "", 1_000);
  const lost = batch.flush();
  batch.note("read", 2, "", 2_000);
  await lost;
  expect([written, lines]).toEqual([[], []]);
  await batch.flush();
  const [ids, times] = (written[0] ?? []) as [number[], string[]];
  expect(ids.map((id, at) => [id, times[at]]).sort()).toEqual([
    [1, new Date(1_000).toISOString()],
    [2, new Date(2_000).toISOString()],
  ]);
});

test("another failure is logged, and its uses are lost", async () => {
  const { batch, written, lines } = opened([new Error("no such column")]);
  batch.note("read", 1);
  await batch.flush();
  await batch.flush();
  expect(written).toEqual([]);
  expect(lines).toEqual([expect.stringContaining("Cannot write when tokens were last used")]);
});
