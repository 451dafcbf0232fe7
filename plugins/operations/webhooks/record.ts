/**
 * Keeping what webhooks shall be told, in the transaction of what happened: one statement, which takes the item as it is
 * at that moment and writes it down, so that the call for a deleted page still shows the page, and one more webhook costs
 * the request nothing but its number in a list: who listens is decided here, and no later change of a webhook alters it.
 * Where no webhook listens, nothing is asked of the store.
 */
import type { Activity, ContentKind, Users } from "lectern/contracts";
import { type EventTransaction, type Log, type RawBuilder, sql, type Viewer } from "lectern/core";
import { prepared, write } from "lectern/db";
import { keepFiltered } from "./filtered.ts";
import { phraseOf } from "./phrases.ts";

/** What recording needs. */
export interface RecordParts {
  /** Every kind of content. */
  readonly kinds: () => readonly ContentKind[];
  readonly users: Pick<Users, "ref">;
  readonly baseUrl: string;
  readonly log: Log;
  /** Whether somebody may change payloads, for all webhooks or for one; only then are they read back. */
  readonly hasHandlers: { readonly all: () => boolean; readonly each: () => boolean };
}

/** Keeps what happened for the webhooks of these numbers: the payload of platform 10.3. */
export type Keep = (activity: Activity, listeners: readonly number[], tx: EventTransaction) => Promise<void>;

/** Makes the one that keeps; what it asks of each kind of content is put together once. */
export function keeper({ kinds, users, baseUrl, hasHandlers: isHeeded, log }: RecordParts): Keep {
  const shown = new Map<string, RawBuilder<unknown>>();
  const shownOf = (kind: ContentKind, columns: readonly string[], withRevision: boolean) => {
    const key = `${kind.kind} ${withRevision} ${columns}`;
    const known = shown.get(key) ?? prepared(itemOf(kind, users, columns, withRevision));
    shown.set(key, known);
    return known;
  };
  return async (activity, listeners, tx) => {
    const { db, viewer, at } = tx;
    const { type, item, related, path } = activity;
    const { id, name, slug } = viewer;
    const kind = item && kinds().find((one) => one.kind === item.kind);
    const text = `${name} ${phraseOf(type)}`;
    const payload = {
      event: type,
      text,
      triggered_at: at.replace(/\.\d+Z$/, ".000000Z"),
      triggered_by: { id, name, slug },
      triggered_by_profile_url: `${baseUrl}/user/${slug}`,
      webhook_id: 0,
      webhook_name: "",
      ...(path !== undefined && { url: `${baseUrl}${path}` }),
      ...(related && { related_item: related }),
    };
    const given = sql`${JSON.stringify(payload)}::text::jsonb`;
    const { known, unknown } = kind ? eventPayload(kind, item?.row, viewer) : NOTHING;
    const kept =
      kind && item
        ? sql`select ${given} || case when item.id is null then '{}' else
              jsonb_build_object('text', ${`${text} "`} || item.name || '"', 'url', ${baseUrl} || item.path,
                'related_item', ${JSON.stringify(known)}::text::jsonb || item.shown) end as payload
            from (values (1)) as once left join (${shownOf(kind, unknown, REVISED.has(type))}) as item
              on item.id = ${item.id}::integer`
        : sql`select ${given} as payload`;
    const insert = sql`insert into webhook_events (type, subject, payload, listeners)
      select ${type}, ${subjectOf(activity)}, told.payload, ${listeners}::integer[] from (${kept}) as told`;
    if (isHeeded.all() || isHeeded.each())
      await keepFiltered(insert, { activity, listeners, perEach: isHeeded.each(), log }, tx);
    else await write(db, insert);
  };
}

/** What must be heard of in order: an item of content, or whatever else was made, changed and removed; "" for neither. */
export function subjectOf({ type, item, related, path, subject }: Activity): string {
  if (subject !== undefined) return subject;
  if (item) return `${item.kind} ${item.id}`;
  return related?.id === undefined ? (path ?? "") : `${type.slice(0, type.lastIndexOf("_"))} ${String(related.id)}`;
}

const PEOPLE = new Set(["created_by", "updated_by", "owned_by"]);
const REVISED = new Set(["page_create", "page_update"]);

const NOTHING = { known: {}, unknown: [] };

/** What lists show of an item: as far as its row and who acts tell it, and the columns that only the store can tell. */
function eventPayload(
  { columns }: ContentKind,
  row: Readonly<Record<string, unknown>> | undefined,
  { id, name, slug }: Viewer,
): { known: Record<string, unknown>; unknown: readonly string[] } {
  if (!row || !columns.every((column) => column in row)) return { known: {}, unknown: columns };
  const known: Record<string, unknown> = {};
  const unknown: string[] = [];
  for (const column of columns) {
    const value = row[column];
    if (!PEOPLE.has(column) || value === null) known[column] = value;
    else if (value === id) known[column] = { id, name, slug };
    else unknown.push(column);
  }
  return { known, unknown };
}

/** Columns of a kind's items as lists show them, each item with its name and its address below the instance's own. */
function itemOf(
  kind: ContentKind,
  users: Pick<Users, "ref">,
  columns: readonly string[],
  withRevision: boolean,
): RawBuilder<unknown> {
  const column = (name: string) => sql.ref(`${kind.table}.${name}`);
  const value = (name: string) => {
    if (PEOPLE.has(name)) return users.ref(column(name));
    return name.endsWith("_at") ? timeOf(column(name)) : column(name);
  };
  const pairs = columns.map((name) => sql`${sql.lit(name)}, ${value(name)}`);
  if (withRevision) pairs.push(sql`'current_revision', ${revisionOf(column("id"))}`);
  return sql`select ${column("id")}, ${column("name")}, ${kind.path} as path, jsonb_build_object(${sql.join(pairs)}) as shown
    from ${sql.table(kind.table)}`;
}

/** The newest revision of a page; the original shows it where a page was written. */
function revisionOf(page: RawBuilder<unknown>): RawBuilder<unknown> {
  const time = timeOf(sql`revision.created_at`);
  return sql`(select jsonb_build_object('id', revision.id, 'page_id', revision.page_id, 'name', revision.name,
      'slug', revision.slug, 'book_slug', revision.book_slug, 'type', 'version', 'summary', revision.summary,
      'revision_number', revision.number, 'created_by', revision.created_by, 'created_at', ${time}, 'updated_at', ${time})
    from page_revisions as revision where revision.page_id = ${page} order by revision.id desc limit 1)`;
}

function timeOf(column: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;
}
