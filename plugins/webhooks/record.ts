/**
 * Keeping what webhooks shall be told, in the transaction of what happened: one statement, which takes the item as it is
 * at that moment and writes it down, so that the call for a deleted page still shows the page, and one more webhook costs
 * the request nothing but its number in a list: who listens is decided here, and no later change of a webhook alters it.
 * Where no webhook listens, nothing is asked of the store.
 */
import {
  type Activity,
  type ContentKind,
  type Log,
  type RawBuilder,
  sql,
  storable,
  type Users,
  type Viewer,
  type Work,
} from "lectern/core";
import { prepared, rows, write } from "lectern/db";
import type { Payload } from "./contract.ts";
import { phraseOf } from "./phrases.ts";

/** What recording needs. */
export interface RecordParts {
  /** Every kind of content. */
  readonly kinds: () => readonly ContentKind[];
  readonly users: Pick<Users, "ref">;
  readonly baseUrl: string;
  readonly log: Log;
  /** Whether somebody may change payloads; only then are they read back. */
  readonly isHeeded: () => boolean;
}

/** Keeps what happened for the webhooks of these numbers: the payload of platform 10.3. */
export type Keep = (activity: Activity, listeners: readonly number[], work: Work) => Promise<void>;

/** Makes the one that keeps; what it asks of each kind of content is put together once. */
export function keeper({ kinds, users, baseUrl, isHeeded, log }: RecordParts): Keep {
  const shown = new Map<string, RawBuilder<unknown>>();
  const shownOf = (kind: ContentKind, columns: readonly string[], withRevision: boolean) => {
    const key = `${kind.kind} ${withRevision} ${columns}`;
    const known = shown.get(key) ?? prepared(itemOf(kind, users, columns, withRevision));
    shown.set(key, known);
    return known;
  };
  return async (activity, listeners, work) => {
    const { db, viewer, at } = work;
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
    const { known, unknown } = kind ? told(kind, item?.row, viewer) : NOTHING;
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
    if (isHeeded()) await filtered(insert, work, log);
    else await write(db, insert);
  };
}

/** Keeps what those who take part make of the payload; what is no payload is left out, since nobody's act may fail by it. */
async function filtered(insert: RawBuilder<unknown>, { db, perform }: Work, log: Log): Promise<void> {
  const [event] = await rows<{ id: number; payload: Payload }>(db, sql`${insert} returning id, payload`);
  if (!event) return;
  const payload = await perform("webhook_call", event.payload, async (final) => final);
  const text = textOf(payload);
  if (text === undefined) {
    log.warn("What a filter made of a payload for webhooks is no object and was left out", {
      event: event.payload.event,
    });
    return;
  }
  await rows(db, sql`update webhook_events set payload = ${text}::text::jsonb where id = ${event.id}::bigint`);
}

/** A payload as the store can hold it; undefined for what is none. */
function textOf(payload: unknown): string | undefined {
  if (typeof payload !== "object" || payload === null || Array.isArray(payload)) return undefined;
  try {
    const text = JSON.stringify(payload, (_, value: unknown) => (typeof value === "string" ? storable(value) : value));
    return storableKeys(text);
  } catch {
    // Circles and numbers without bounds.
    return undefined;
  }
}

/** Values are clean by now, so what is left stands in a key, and no key of a payload needs it. */
function storableKeys(text: string): string {
  return text.replace(/(?<!\\)((?:\\\\)*)\\u(?:0000|d[89a-f][0-9a-f]{2})/gi, "$1");
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
function told(
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
