/**
 * The first and the last entry of a backup archive. The manifest says what a restore needs before any row: versions, the
 * schema of the tables, and the migration steps that have run. The summary at the end has counts and hashes, which are known
 * only then; without it an archive is truncated.
 */
import { Value } from "@sinclair/typebox/value";
import { type Static, t } from "lectern/core";
import type { Migrating } from "lectern/db";
import packaged from "../../../../package.json" with { type: "json" };

/** The format that is written, and the newest that is read. */
export const FORMAT = 1;

const step = t.Object({ sql: t.String(), extension: t.Union([t.String(), t.Null()]) });
const table = t.Object({ name: t.String({ minLength: 1 }), columns: t.Array(t.String()), create: t.String() });

/** The shape of `manifest.json`. */
export const manifestSchema = t.Object({
  format: t.Integer({ minimum: 1 }),
  /** The version of Lectern that wrote it. */
  lectern: t.String(),
  createdAt: t.String(),
  /** The version of PostgreSQL. */
  postgres: t.String(),
  /** False for a backup of the store alone. */
  files: t.Boolean(),
  /** Steps by plugin; "core" is the runtime. */
  ledgers: t.Record(t.String(), t.Array(t.Object({ name: t.String(), appliedAt: t.String() }))),
  schema: t.Object({
    schema: t.String(),
    extensions: t.Array(t.String()),
    before: t.Array(t.String()),
    tables: t.Array(table),
    after: t.Array(step),
  }),
  sequences: t.Array(t.Object({ name: t.String(), value: t.String(), isCalled: t.Boolean() })),
});

/** The first entry of an archive. */
export type Manifest = Static<typeof manifestSchema>;

/** The shape of `summary.json`. */
export const summarySchema = t.Object({
  /** Rows, bytes and SHA-256 of the rows of each table, as COPY writes them. */
  tables: t.Record(t.String(), t.Object({ rows: t.Integer(), bytes: t.Integer(), sha256: t.String() })),
  files: t.Object({ count: t.Integer(), bytes: t.Integer() }),
  /** SHA-256 of names, sizes and contents of all entries before this one. */
  sha256: t.String(),
});

/** The last entry of an archive. */
export type Summary = Static<typeof summarySchema>;

/** Parses an entry. Returns undefined where it is no JSON of that shape. */
export function parsedAs<S extends typeof manifestSchema | typeof summarySchema>(
  schema: S,
  bytes: Uint8Array,
): Static<S> | undefined {
  try {
    const value: unknown = JSON.parse(new TextDecoder().decode(bytes));
    return Value.Check(schema, value) ? value : undefined;
  } catch {
    // No JSON.
    return undefined;
  }
}

/** How an archive relates to what is installed. */
export interface Fit {
  /** Why it cannot be restored, for an operator; undefined where it can. */
  readonly problem: string | undefined;
  /** Plugins with data in the archive that are not installed: their tables are restored and stay until they are. */
  readonly absent: readonly string[];
  /** Whether the next boot has steps to run over the restored tables. */
  readonly migrates: boolean;
}

/** Compares an archive with what is installed. `installed` are all plugins and the runtime, as "core". */
export function fitOf(manifest: Manifest, installed: readonly Migrating[]): Fit {
  const absent = Object.keys(manifest.ledgers).filter((name) => !installed.some((one) => one.name === name));
  const newer = installed.flatMap(({ name, migrations }) =>
    (manifest.ledgers[name] ?? [])
      .filter((step) => !Object.hasOwn(migrations, step.name))
      .map((step) => `${name} ${step.name}`),
  );
  const migrates = installed.some(({ name, migrations }) => {
    const done = new Set((manifest.ledgers[name] ?? []).map((step) => step.name));
    return Object.keys(migrations).some((step) => !done.has(step));
  });
  const [first] = newer;
  const problem =
    first === undefined
      ? undefined
      : `it is of Lectern ${manifest.lectern}, whose tables are newer than this Lectern ${packaged.version}` +
        ` (it lacks the migration "${first}"${newer.length > 1 ? ` and ${newer.length - 1} others` : ""}); install that version or a later one`;
  return { problem, absent, migrates };
}

/** The entry of a table's rows; large tables have several, in order. */
export function tableEntry(name: string, part: number): string {
  return `tables/${encodeURIComponent(name)}/${String(part).padStart(6, "0")}`;
}

/** The table and the part that an entry is of; undefined for other entries. */
export function tableOf(entry: string): { readonly name: string; readonly part: number } | undefined {
  const found = /^tables\/([^/]+)\/(\d{6,})$/.exec(entry);
  if (!found?.[1]) return undefined;
  try {
    return { name: decodeURIComponent(found[1]), part: Number(found[2]) };
  } catch {
    // No name that was encoded.
    return undefined;
  }
}
