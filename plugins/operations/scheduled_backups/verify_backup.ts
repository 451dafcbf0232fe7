/**
 * Verifies a backup: reads it as a whole, restores its rows into a temporary store, and compares what that store then has with
 * the archive: the schema, and the hash of the rows of every table.
 */
import { createHash } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { openStore, rebuildStore, type TableRows, withSnapshot, withThrowawayStore } from "lectern/db";
import type { Manifest, Summary } from "./archive/manifest.ts";
import { ArchiveError, readArchive } from "./archive/reader.ts";
import type { BackupPlace } from "./places.ts";

/** A verified backup. */
export interface Verified {
  readonly manifest: Manifest;
  readonly summary: Summary;
}

/** Verifies a backup over a temporary embedded store, which is removed. Throws ArchiveError for the first difference. */
export async function verifyBackup(place: BackupPlace, onNote: (text: string) => void): Promise<Verified> {
  return withThrowawayStore(async (temporary) => {
    const store = await openStore({ ...temporary, poolSize: 2 });
    try {
      const { manifest } = await readArchive(await place.read(), () => ({
        table: skip,
        file: (_key, _size, body) => skip("", body),
      }));
      let left = false;
      let summary: Summary | undefined;
      const onLeftOut = (text: string) => {
        left = true;
        onNote(text);
      };
      await rebuildStore(store, manifest, { replace: false, onLeftOut }, async ({ table }) => {
        summary = await fillTables(place, table);
      });
      const verified = { manifest, summary: summary as Summary };
      await compare(store, verified, left);
      return verified;
    } finally {
      await store.close();
    }
  });
}

async function fillTables(place: BackupPlace, open: (name: string) => Promise<TableRows>): Promise<Summary> {
  let current: { name: string; rows: TableRows } | undefined;
  const { summary } = await readArchive(await place.read(), () => ({
    async table(name, body) {
      if (current?.name !== name) {
        await current?.rows.end();
        current = { name, rows: await open(name) };
      }
      for await (const chunk of body) await current.rows.write(chunk);
    },
    file: (_key, _size, body) => skip("", body),
  }));
  await current?.rows.end();
  return summary;
}

async function compare(
  store: Awaited<ReturnType<typeof openStore>>,
  { manifest, summary }: Verified,
  isPartial: boolean,
): Promise<void> {
  await withSnapshot(store, {
    async rows({ schema, copy }) {
      if (!isPartial && !isDeepStrictEqual(JSON.parse(JSON.stringify(schema)), manifest.schema))
        throw new ArchiveError("the restored schema differs from that of the archive");
      for (const [name, { sha256 }] of Object.entries(summary.tables)) {
        const hash = createHash("sha256");
        for await (const chunk of await copy(name)) hash.update(chunk);
        if (hash.digest("hex") !== sha256)
          throw new ArchiveError(`the restored rows of the table "${name}" differ from those of the archive`);
      }
    },
    async files() {},
  });
}

async function skip(_name: string, body: AsyncIterable<Uint8Array>): Promise<void> {
  for await (const _chunk of body);
}
