/** Checks of the file store and of the disk below it. */
import { existsSync } from "node:fs";
import { statfs } from "node:fs/promises";
import { findOrphans, findUnfinished, type MarkedStores, markerState } from "lectern/cli";
import { type FileClaim, Findings, type SelfCheck } from "lectern/contracts";

/** The file store is that of the database: its marker is there. */
export function markerCheck(stores: MarkedStores): SelfCheck {
  return {
    name: "core/file_store",
    title: "The file store belongs to this database",
    async check() {
      const findings = new Findings();
      const state = await markerState(stores);
      if (state.kind === "wrong") findings.add(state.problem);
      return findings.as("error");
    },
  };
}

/** Stored files that no row refers to. Younger ones than a day may belong to a request that still runs. */
export function orphansCheck(stores: MarkedStores, claims: () => readonly FileClaim[]): SelfCheck {
  return {
    name: "core/orphaned_files",
    title: "Some row refers to every stored file",
    async check() {
      const findings = new Findings();
      for await (const { orphans } of findOrphans(stores.files, claims()))
        for (const { key, size } of orphans) findings.add(`${key} (${size} bytes)`);
      return findings.as("warning");
    },
    async fix() {
      let gone = 0;
      for await (const { orphans } of findOrphans(stores.files, claims()))
        for (const { key } of orphans) {
          await stores.files.remove(key);
          gone++;
        }
      return gone;
    },
  };
}

/** Uploads to a bucket that a killed server left: their parts take space, and no listing shows them. */
export function unfinishedCheck({ files }: Pick<MarkedStores, "files">): SelfCheck {
  return {
    name: "core/unfinished_uploads",
    title: "No upload to the bucket was left unfinished",
    async check() {
      const findings = new Findings();
      for await (const { key, started } of findUnfinished(files))
        findings.add(`${key} (begun ${started.toISOString()})`);
      return findings.as("warning", "Give the bucket a lifecycle rule that aborts incomplete uploads after a day.");
    },
    async fix() {
      let ended = 0;
      for await (const upload of findUnfinished(files)) {
        await files.unfinished?.end(upload);
        ended++;
      }
      return ended;
    },
  };
}

/** The data folder's disk has room: at least `minPercent` of its bytes and of its inodes are free. */
export function diskCheck(dataDir: string, minPercent: number): SelfCheck {
  return {
    name: "core/disk",
    title: "The disk of the data folder has free space",
    async check() {
      const findings = new Findings();
      // With a database and a bucket elsewhere there may be none.
      if (!existsSync(dataDir)) return findings.as("warning");
      const { bavail, blocks, bsize, ffree, files } = await statfs(dataDir);
      const free = (part: number, whole: number) => (whole === 0 ? 100 : (part / whole) * 100);
      const [space, inodes] = [free(bavail, blocks), free(ffree, files)];
      if (space < minPercent)
        findings.add(`${dataDir}: ${space.toFixed(1)} % free, ${Math.round((bavail * bsize) / 1_000_000)} MB`);
      if (inodes < minPercent) findings.add(`${dataDir}: ${inodes.toFixed(1)} % of the inodes are free`);
      return findings.as(
        space < minPercent / 2 ? "error" : "warning",
        "Free space, or move the data folder to a larger disk.",
      );
    },
  };
}
