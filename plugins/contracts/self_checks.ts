/**
 * What checks of the instance are made of: collected findings, and the two checks that many plugins need, of rows that refer to
 * nothing and of rows whose file is missing. Both are templates over names of tables that plugins write in their code. They
 * keep a few examples and count the rest, so that their memory does not grow with what is wrong.
 */
import type { Kysely } from "kysely";
import {
  type CheckFindings,
  type ContentKind,
  type FileStore,
  type RawBuilder,
  type SelfCheck,
  sql,
} from "lectern/core";
import { GrantError } from "lectern/db";

/** Findings that are listed; all are counted. */
const LISTED = 5;
/** Rows of one statement. */
const BATCH = 500;
/** Files that are looked up at a time. */
const LOOK_UPS = 8;

/**
 * Collects what a check finds, of which a few are kept.
 * @example
 * const findings = new Findings();
 * for (const name of ["a", ""]) if (name === "") findings.add("a note without a name");
 * const result = findings.as("warning", "Give it a name.");
 */
export class Findings {
  #count = 0;
  readonly #examples: string[] = [];

  /** Counts a finding, or `count` of them under one example. */
  add(example: string, count = 1): void {
    this.#count += count;
    if (this.#examples.length < LISTED) this.#examples.push(example);
  }

  /** The result, of this status if anything was found. */
  as(status: "warning" | "error", advice?: string): CheckFindings {
    if (this.#count === 0) return { status: "ok", count: 0, examples: [] };
    return { status, count: this.#count, examples: this.#examples, ...(advice !== undefined && { advice }) };
  }
}

/** Rows that refer to others by a column without a foreign key. */
export interface Reference {
  readonly table: string;
  /** The referring column, an integer; null refers to nothing. */
  readonly column: string;
  /** The table that it refers to, by `id`. */
  readonly to: string;
  /** Which rows refer to that table, over `table`; all without it. */
  readonly where?: RawBuilder<boolean>;
}

/** The columns of a table whose rows belong to items of any kind. */
export interface ItemColumns {
  readonly table: string;
  /** The column with the kind. */
  readonly kind: string;
  /** The column with the id. */
  readonly id: string;
}

/**
 * References of rows that belong to items, one for each kind. Rows of a kind whose plugin is not loaded are left out: they are
 * kept until it is purged.
 * @example
 * const references = itemReferences(context.slot("content"), { table: "notes", kind: "kind", id: "item_id" });
 */
export function itemReferences(
  kinds: readonly Pick<ContentKind, "kind" | "table">[],
  { table, kind, id }: ItemColumns,
): Reference[] {
  return kinds.map((to) => ({
    ...{ table, column: id, to: to.table },
    where: sql<boolean>`${sql.ref(`${table}.${kind}`)} = ${to.kind}::text`,
  }));
}

/**
 * References of the columns `created_by` and `updated_by` of a table to users.
 * @example
 * const references = authorReferences("notes");
 */
export function authorReferences(table: string): Reference[] {
  return ["created_by", "updated_by"].map((column) => ({ table, column, to: "users" }));
}

/** Options of `referenceCheck`. */
export interface ReferenceCheckOptions extends Pick<SelfCheck, "name" | "title"> {
  /** Read at each run, since kinds of content are complete after boot. */
  readonly references: () => readonly Reference[];
  /**
   * What `doctor --fix` does: it deletes the rows, where they are of no use without what they refer to, sets the column to null, or
   * leaves them alone.
   */
  readonly repair: "delete" | "clear" | "none";
  /** What to do where nothing repairs them. */
  readonly advice?: string;
}

/**
 * A check for rows that refer to nothing, in columns without a foreign key. They are counted in the database. Tables that the
 * plugin may not read, such as those of a kind that another plugin added, are left out.
 * @example
 * context.contribute(
 *   "self_check",
 *   referenceCheck(context.db, {
 *     name: "notes/books",
 *     title: "Every note belongs to a book",
 *     references: () => [{ table: "notes", column: "book_id", to: "books" }],
 *     repair: "delete",
 *   }),
 * );
 */
export function referenceCheck(
  // biome-ignore lint/suspicious/noExplicitAny: the tables of any plugin's context
  db: Kysely<any>,
  { name, title, references, repair, advice }: ReferenceCheckOptions,
): SelfCheck {
  return {
    name,
    title,
    async check() {
      const findings = new Findings();
      for (const reference of references())
        for (const { id, total } of await readable(() => danglingRows(db, reference)))
          findings.add(`${reference.table}: ${reference.column} ${id} is no row of ${reference.to}`, total);
      return findings.as("warning", repair === "none" ? advice : undefined);
    },
    ...(repair !== "none" && {
      async fix() {
        let repaired = 0;
        for (const reference of references())
          repaired += (await readable(() => repairDangling(db, reference, repair))).length;
        return repaired;
      },
    }),
  };
}

/** A missing id for each of a few examples, and how many rows it stands for. */
// biome-ignore lint/suspicious/noExplicitAny: see above
async function danglingRows(db: Kysely<any>, reference: Reference): Promise<{ id: number; total: number }[]> {
  const column = sql.ref(`${reference.table}.${reference.column}`);
  const { rows } = await sql<{ id: number; n: number; rest: number }>`
    select ${column} as id, count(*)::float8 as n, sum(count(*)) over ()::float8 as rest
    from ${sql.table(reference.table)} where ${isDangling(reference)} group by 1 order by 1 limit ${LISTED}`.execute(
    db,
  );
  const listed = rows.reduce((sum, { n }) => sum + n, 0);
  // The rows of further ids count with the last example.
  return rows.map(({ id, n, rest }, at) => ({ id, total: at === rows.length - 1 ? n + rest - listed : n }));
}

async function repairDangling(
  // biome-ignore lint/suspicious/noExplicitAny: see above
  db: Kysely<any>,
  reference: Reference,
  repair: "delete" | "clear",
): Promise<unknown[]> {
  const change =
    repair === "delete"
      ? sql`delete from ${sql.table(reference.table)}`
      : sql`update ${sql.table(reference.table)} set ${sql.ref(reference.column)} = null`;
  const { rows } = await sql`${change} where ${isDangling(reference)} returning 1`.execute(db);
  return rows;
}

function isDangling({ table, column, to, where }: Reference): RawBuilder<boolean> {
  const from = sql.ref(`${table}.${column}`);
  return sql`${from} is not null and ${where ?? sql`true`}
    and not exists (select from ${sql.table(to)} as target where target.id = ${from})`;
}

async function readable<Row>(run: () => Promise<Row[]>): Promise<Row[]> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof GrantError) return [];
    throw error;
  }
}

/** Options of `missingFilesCheck`. */
export interface MissingFilesOptions extends Pick<SelfCheck, "name" | "title"> {
  readonly table: string;
  /** The column with the key of the file; null for none. */
  readonly column: string;
}

/**
 * A check for rows whose stored file is missing. It reads the rows in batches by their `id`. Nothing repairs them: the file has to
 * come from a backup.
 * @example
 * context.contribute(
 *   "self_check",
 *   missingFilesCheck(context, {
 *     name: "notes/files",
 *     title: "The file of every note is stored",
 *     table: "notes",
 *     column: "file_key",
 *   }),
 * );
 */
export function missingFilesCheck(
  // biome-ignore lint/suspicious/noExplicitAny: see above
  { db, files }: { readonly db: Kysely<any>; readonly files: FileStore },
  { name, title, table, column }: MissingFilesOptions,
): SelfCheck {
  const batchAfter = async (after: number) => {
    const found = await sql<{ id: number; key: string }>`select id, ${sql.ref(column)} as key from ${sql.table(table)}
      where id > ${after}::integer and ${sql.ref(column)} is not null order by id limit ${BATCH}`.execute(db);
    return found.rows;
  };
  const isUnchanged = async ({ id, key }: { readonly id: number; readonly key: string }) => {
    const found = await sql`select from ${sql.table(table)} where id = ${id}::integer
      and ${sql.ref(column)} = ${key}`.execute(db);
    return found.rows.length > 0;
  };
  return {
    name,
    title,
    async check() {
      const findings = new Findings();
      for (let rows = await batchAfter(0); rows.length > 0; rows = await batchAfter(rows.at(-1)?.id ?? 0)) {
        for (let at = 0; at < rows.length; at += LOOK_UPS) {
          const some = rows.slice(at, at + LOOK_UPS);
          const found = await Promise.all(some.map(({ key }) => files.get(key)));
          // A row that was changed meanwhile may have lost its file with it.
          for (const [index, row] of some.entries())
            if (!found[index] && (await isUnchanged(row)))
              findings.add(`${table} ${row.id}: file "${row.key}" is missing`);
        }
      }
      return findings.as("error", "Copy the missing files from a backup into the file store.");
    },
  };
}
