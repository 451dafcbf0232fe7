/**
 * The marker of an instance: a file in the store of files that has the id which the database has too. A start that finds a
 * database with an id and a file store without the marker has an empty mount, another folder or another bucket before it, and
 * is refused, since files would be missing and new ones would be stored in the wrong place. The database's row is written
 * before the marker and confirmed after it, so that a process killed in between is told from a lost marker.
 */
import { type Kysely, sql } from "kysely";
import type { Db, KnownTimelines, Migrations } from "../../db/mod.ts";
import { BootError } from "../errors.ts";
import type { Log } from "../log.ts";
import type { FileStore } from "./file_store.ts";

/** The key of the marker; keys of plugins' files have a "/". */
export const MARKER_KEY = "lectern-instance.json";

const INSTANCE = /^[0-9a-f-]{36}$/;
const SERVER_KEY = /^lectern-server-[0-9a-f-]{36}\.json$/;

/** The key of the file by which a running server shows others which file store it uses. */
export function serverKey(id: string): string {
  return `lectern-server-${id}.json`;
}

/** Whether a file is the marker or that of a running server: both are of one file store, and are neither copied nor orphaned. */
export function isOfStore(key: string): boolean {
  return key === MARKER_KEY || SERVER_KEY.test(key);
}

/** The single row that says which marker the file store has. */
export interface FileMarkerTable {
  /** A UUID. */
  id: string;
  /** Whether the marker was written. */
  marked: boolean;
}

declare module "../../db/query/tables.ts" {
  interface Tables {
    file_marker: FileMarkerTable;
  }
}

/** The table of the marker. */
export const markerMigrations: Migrations = {
  async "0007_file_marker"(db) {
    await sql`create table file_marker (id uuid not null, marked boolean not null default false,
      single boolean primary key default true check (single))`.execute(db);
  },
};

/** The database and the file store of an instance. */
export interface MarkedStores {
  readonly db: Db;
  readonly files: FileStore;
  /** The file store in errors, such as `the folder "./data/files"`. */
  readonly place: string;
}

/**
 * The content of a marker; `movedTo` names the store that its files were moved to, `timelines` are the newest that were used of the
 * database's server (`db/connection/timelines.ts`): only a place outside of the database can say that the database is an old one.
 */
export interface Marker {
  readonly instance: string;
  readonly movedTo?: string;
  readonly timelines?: KnownTimelines;
}

/** How a database and a file store relate. */
export type MarkerState =
  | { readonly kind: "fits" }
  /** Neither has a marker: the first start, or the first one of a version that writes it. */
  | { readonly kind: "new" }
  /** The former start ended before it had written the marker. */
  | { readonly kind: "unfinished" }
  | { readonly kind: "wrong"; readonly problem: string };

/** Compares the database's row with the marker; changes nothing. Throws where the file store fails. */
export async function markerState(stores: MarkedStores): Promise<MarkerState> {
  const state = await comparedOnce(stores);
  // Another process may have begun and finished its first start between the two reads.
  return state.kind === "wrong" ? comparedOnce(stores) : state;
}

async function comparedOnce({ db, files, place }: MarkedStores): Promise<MarkerState> {
  const row = await readRow(db);
  const marker = await readMarker(files);
  if (!row && !marker) return { kind: "new" };
  if (marker?.movedTo !== undefined)
    return wrong(
      `the files of ${place} were moved to "${marker.movedTo}"; set FILES_STORE to that, or run "lectern move-files" to move them back`,
    );
  if (!row)
    return wrong(
      `${place} belongs to the instance ${marker?.instance}, and the database knows no files yet; is it an empty or another ` +
        `database? Set DATABASE_URL or DATA_DIR to the former one, or ${GO_ON}`,
    );
  if (!marker && !row.marked) return { kind: "unfinished" };
  if (!marker)
    return wrong(
      `the database belongs to the instance ${row.id}, and ${place} has no file "${MARKER_KEY}" of it; is it an empty mount, ` +
        `or another folder or bucket? Mount or configure the former one, move the files by "lectern move-files", or ${GO_ON}`,
    );
  if (marker.instance !== row.id)
    return wrong(
      `the database belongs to the instance ${row.id}, and ${place} to ${marker.instance}; configure the files of that ` +
        `database, or ${GO_ON}`,
    );
  return row.marked ? { kind: "fits" } : { kind: "unfinished" };
}

const GO_ON = `run "lectern files accept" to use it as it is`;

function wrong(problem: string): MarkerState {
  return { kind: "wrong", problem };
}

/**
 * Checks the marker before a boot. A file store that does not answer is a warning: reading goes on without it, as it does
 * later. Throws BootError.
 */
export async function checkMarker(stores: MarkedStores, log: Log): Promise<void> {
  const state = await markerState(stores).catch((error: unknown) => {
    log.warn("Cannot read the marker of the file store", { error });
    return undefined;
  });
  if (state?.kind === "wrong") throw new BootError(`Cannot start: ${state.problem}`);
}

/** Writes what is missing of the row and the marker, where neither contradicts the other. */
export async function completeMarker(stores: MarkedStores, log: Log): Promise<void> {
  try {
    const { kind } = await markerState(stores);
    if (kind === "new" || kind === "unfinished") await writeMarker(stores);
  } catch (error) {
    log.warn("Cannot write the marker of the file store", { error });
  }
}

/**
 * Makes the file store that of the database, whatever its marker was. Repeating it after an interruption completes it.
 * @example
 * await writeMarker({ db: store.db, files, place: "the restored folder" });
 */
export async function writeMarker({ db, files }: Pick<MarkedStores, "db" | "files">): Promise<void> {
  await markAs({ db, files });
  await sql`update file_marker set marked = true where not marked`.execute(db);
}

/** Writes the marker of the instance; with `movedTo`, one that says that its files are in another store. */
export async function markAs({ db, files }: Pick<MarkedStores, "db" | "files">, movedTo?: string): Promise<void> {
  const timelines = (await readMarker(files))?.timelines;
  const marker = {
    instance: await claimId(db),
    ...(movedTo !== undefined && { movedTo }),
    ...(timelines && { timelines }),
  };
  await putMarker(files, marker);
}

async function putMarker(files: FileStore, marker: Marker): Promise<void> {
  await files.put(MARKER_KEY, new TextEncoder().encode(`${JSON.stringify(marker)}\n`));
}

/** The timelines that the marker knows; none without a marker. Throws where the file store fails. */
export async function markedTimelines(files: FileStore): Promise<KnownTimelines> {
  return (await readMarker(files))?.timelines ?? {};
}

/** Adds timelines to the marker where they are newer, or in place of those it has if `isAccepted`. Without a marker nothing is kept. */
export async function markTimelines(files: FileStore, timelines: KnownTimelines, isAccepted = false): Promise<void> {
  const marker = await readMarker(files);
  if (!marker || !INSTANCE.test(marker.instance)) return;
  const before = marker.timelines ?? {};
  const newer = Object.entries(timelines).filter(
    ([system, timeline]) => isAccepted || timeline > (before[system] ?? 0),
  );
  if (newer.length > 0) await putMarker(files, { ...marker, timelines: { ...before, ...Object.fromEntries(newer) } });
}

/** The id of the instance, which is made where there is none. */
export async function claimId(db: Db): Promise<string> {
  await sql`insert into file_marker (id) values (gen_random_uuid()) on conflict do nothing`.execute(db);
  return (
    // A cast, since the table is core's own and not among those that plugins may name.
    (
      await (db as unknown as Kysely<{ file_marker: FileMarkerTable }>)
        .selectFrom("file_marker")
        .select("id")
        .executeTakeFirstOrThrow()
    ).id
  );
}

/** The marker of a file store; an unreadable one names no instance. */
export async function readMarker(files: FileStore): Promise<Marker | undefined> {
  const found = await files.get(MARKER_KEY);
  if (!found) return undefined;
  const text = new TextDecoder().decode(await found.bytes());
  try {
    const { instance, movedTo, timelines } = JSON.parse(text) as Partial<Marker>;
    if (typeof instance === "string")
      return {
        instance,
        ...(typeof movedTo === "string" && { movedTo }),
        ...(typeof timelines === "object" && timelines !== null && { timelines: timelinesIn(timelines) }),
      };
  } catch {
    // Not JSON, which is reported like the marker of another instance.
  }
  return { instance: `of an unreadable "${MARKER_KEY}"` };
}

function timelinesIn(found: object): KnownTimelines {
  return Object.fromEntries(Object.entries(found).filter(([, timeline]) => Number.isSafeInteger(timeline)));
}

async function readRow(db: Db): Promise<FileMarkerTable | undefined> {
  const { rows } = await sql<{ there: boolean }>`select to_regclass('file_marker') is not null as there`.execute(db);
  if (!rows[0]?.there) return undefined;
  return (await sql<FileMarkerTable>`select id::text, marked from file_marker`.execute(db)).rows[0];
}
