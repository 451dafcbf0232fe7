/**
 * The tables whose texts contain addresses of this instance, and the SQL that finds and replaces one of them. An address ends
 * where neither its host nor its path could go on, so that that of another host or port is left alone. Where the new address
 * begins with the old one (https://example.com, https://example.com/docs), the new one is not found again: a run that was
 * interrupted is continued by another one.
 */
import { type RawBuilder, sql } from "lectern/core";
import { type Executor, rows } from "lectern/db";
import type { AddressContext } from "./contract.ts";

/** A table with texts. */
export interface TextTable {
  /** What its rows are called in the output. */
  readonly label: string;
  readonly table: string;
  readonly columns: readonly string[];
  /** Whether it keeps earlier states, which nothing shows but the history of an item. */
  readonly isHistory?: boolean;
  /** Whether rows have an `id`; those of the others are changed by one statement. */
  readonly hasId: boolean;
  /** The kind of content that its rows are. */
  readonly kind?: string;
  /** The column with the HTML whose links are recorded. */
  readonly html?: string | undefined;
}

/** An address and the one that replaces it, without a final slash. */
export interface Addresses {
  readonly old: string;
  readonly new: string;
}

/** Tables beside those of content. */
const OTHERS: readonly TextTable[] = [
  { label: "revisions", table: "page_revisions", columns: ["html", "markdown", "text"], hasId: true, isHistory: true },
  { label: "drafts", table: "page_drafts", columns: ["html", "markdown"], hasId: false },
  { label: "comments", table: "comments", columns: ["html", "markdown"], hasId: true },
  { label: "attachments", table: "attachments", columns: ["link"], hasId: true },
];

/** Columns of texts that are no content: the slug is made from the name. */
const LEFT_OUT = new Set(["name", "slug", "editor"]);

/** The characters with which a host, a port or a name in a path goes on; a dot or colon does so before another one. */
const GOES_ON = "(?![A-Za-z0-9_%~@-]|[.:][A-Za-z0-9])";

/** All tables with texts: of each kind of content its columns of texts, and what belongs to it. */
export async function textTables(context: AddressContext): Promise<TextTable[]> {
  const { db, slot } = context;
  const content: TextTable[] = [];
  for (const { kind, labels, table } of slot("content")) {
    const columns = (await textColumns(db, table)).filter((column) => !LEFT_OUT.has(column));
    const html = ["html", "description_html"].find((column) => columns.includes(column));
    const label = (labels?.many ?? kind).toLowerCase();
    if (columns.length > 0) content.push({ label, table, columns, hasId: true, kind, html });
  }
  const others = await Promise.all(OTHERS.map(async (one) => ((await hasTable(db, one.table)) ? [one] : [])));
  return [...content, ...others.flat()];
}

/** Whether a table is there: plugins that are left out make none. */
export async function hasTable(db: Executor, table: string): Promise<boolean> {
  return (await textColumns(db, table)).length > 0;
}

/** The columns of type text that statements may set; none where there is no such table. The catalog is read, since plugins make tables of their own. */
async function textColumns(db: Executor, table: string): Promise<string[]> {
  // A template: Kysely's builder has no words for catalogs, which are read since plugins make tables of their own.
  const found = await rows<{ name: string }>(
    db,
    sql`select attname::text as name from pg_attribute
      where attrelid = to_regclass(${table}::text) and attnum > 0 and not attisdropped and attgenerated = ''
        and atttypid = 'text'::regtype
      order by attnum`,
  );
  return found.map(({ name }) => name);
}

/** SQL condition for rows with an address. */
export function hasAddress({ columns }: TextTable, addresses: Addresses): RawBuilder<boolean> {
  const pattern = patternOf(addresses);
  // The plain text is looked for first, which is several times as fast.
  const each = columns.map(
    (column) =>
      sql`(position(${addresses.old}::text in ${sql.id(column)}) > 0 and ${sql.id(column)} ~ ${pattern}::text)`,
  );
  return sql<boolean>`(${sql.join(each, sql` or `)})`;
}

/** The assignments that replace an address. */
export function replacing({ columns }: TextTable, addresses: Addresses): RawBuilder<unknown> {
  const replacement = addresses.new.replaceAll("\\", "\\\\");
  const pattern = patternOf(addresses);
  return sql.join(
    columns.map(
      (column) =>
        sql`${sql.id(column)} = regexp_replace(${sql.id(column)}, ${pattern}::text, ${replacement}::text, 'g')`,
    ),
  );
}

function patternOf({ old, new: replaced }: Addresses): string {
  const rest = replaced.startsWith(old) ? replaced.slice(old.length) : "";
  return `${literally(old)}${rest === "" ? "" : `(?!${literally(rest)}${GOES_ON})`}${GOES_ON}`;
}

function literally(text: string): string {
  return text.replace(/[^A-Za-z0-9]/g, "\\$&");
}
