/**
 * Records events for webhooks in the transaction of the event. A single statement reads the item and stores the payload, so
 * the call for a deleted page still contains the page, and an additional webhook costs a request only its id in an array.
 * The subscribed webhooks are stored with the event; later changes of webhooks do not affect it. If no webhook subscribes
 * to a type, there is no statement.
 */
import type { QueryCreator } from "kysely";
import type { Activity, ActivitySource, ContentKind, Users } from "lectern/contracts";
import { type EventTransaction, type Log, type RawBuilder, sql, type TraceHeaders, type Viewer } from "lectern/core";
import { flattened, prepared, type Tables } from "lectern/db";
import type { Payload, WebhookEventsTable } from "./contract.ts";
import { storedOrigin } from "./payload.ts";
import { filterPayload } from "./payload_filters.ts";
import { phraseOf } from "./phrases.ts";

/** The dependencies of the recorder. */
export interface EventRecorderOptions {
  /** The slot `content`. */
  readonly kinds: () => readonly ContentKind[];
  /** The slot `activity`. */
  readonly sources: () => readonly ActivitySource[];
  readonly users: Pick<Users, "ref">;
  readonly baseUrl: string;
  readonly log: Log;
  /** The headers that continue the current trace. */
  readonly trace: () => TraceHeaders;
  /** Whether `webhook_call` and `webhook_call_before` have handlers; only then payloads are read back. */
  readonly hasHandlers: { readonly all: () => boolean; readonly each: () => boolean };
}

/** Records an activity for the webhooks with these ids: the payload of platform 10.3. */
export type RecordEvent = (activity: Activity, listeners: readonly number[], tx: EventTransaction) => Promise<void>;

/** Creates the recorder. The query of each kind of content is compiled once. */
export function createEventRecorder(options: EventRecorderOptions): RecordEvent {
  const { kinds, sources, users, baseUrl, hasHandlers, log } = options;
  const itemQueries = new Map<string, RawBuilder<unknown>>();
  const itemQuery = (kind: ContentKind, columns: readonly string[], withRevision: boolean) => {
    const key = `${kind.kind} ${withRevision} ${columns}`;
    const query = itemQueries.get(key) ?? flattened(selectItem(kind, users, columns, withRevision));
    itemQueries.set(key, query);
    return query;
  };
  return async (activity, listeners, tx) => {
    const { db, viewer, at } = tx;
    const { type, item, related, path } = activity;
    const { id, name, slug } = viewer;
    const kind = item && kinds().find((one) => one.kind === item.kind);
    const text = `${name} ${phraseOf(type, { activity: sources(), content: kinds() })}`;
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
      ...storedOrigin(tx.requestId, options.trace()),
    };
    const base = sql`${JSON.stringify(payload)}::text::jsonb`;
    const { known, unknown } = kind ? itemFields(kind, item?.row, viewer) : NOTHING;
    const select =
      kind && item
        ? sql`select ${base} || case when item.id is null then '{}' else
              jsonb_build_object('text', ${`${text} "`} || item.name || '"', 'url', ${baseUrl} || item.path,
                'related_item', ${JSON.stringify(known)}::text::jsonb || item.shown) end as payload
            from (values (1)) as once left join (${itemQuery(kind, unknown, WITH_REVISION.has(type))}) as item
              on item.id = ${item.id}::integer`
        : sql`select ${base} as payload`;
    const event = { type, subject: subjectOf(activity), listeners, payloads: sql<{ payload: Payload }>`(${select})` };
    if (!hasHandlers.all() && !hasHandlers.each()) return insert.write(db, event);
    const recorded = await insertReturning.executeTakeFirst(db, event);
    if (recorded)
      await filterPayload(
        recorded,
        { activity, listeners, perEach: hasHandlers.each(), log, trace: options.trace },
        tx,
      );
  };
}

/** An event to be recorded; `payloads` is a query of its payload. */
interface NewEvent extends Pick<WebhookEventsTable, "type" | "subject" | "listeners"> {
  readonly payloads: RawBuilder<{ payload: Payload }>;
}

const insert = prepared("webhooks.record", insertEvent);
const insertReturning = prepared("webhooks.recordReturning", (db, p: NewEvent) =>
  insertEvent(db, p).returning(["id", "payload"]),
);

function insertEvent(db: QueryCreator<Tables>, p: NewEvent) {
  return db
    .insertInto("webhook_events")
    .columns(["type", "subject", "payload", "listeners"])
    .expression((eb) =>
      eb
        .selectFrom(p.payloads.as("built"))
        .select([
          sql<string>`${p.type}`.as("type"),
          sql<string>`${p.subject}`.as("subject"),
          "built.payload",
          sql<number[]>`${p.listeners}::integer[]`.as("listeners"),
        ]),
    );
}

/** The subject whose events are delivered in order: a content item, or another created, updated or deleted thing; "" if none. */
export function subjectOf({ type, item, related, path, subject }: Activity): string {
  if (subject !== undefined) return subject;
  if (item) return `${item.kind} ${item.id}`;
  return related?.id === undefined ? (path ?? "") : `${type.slice(0, type.lastIndexOf("_"))} ${String(related.id)}`;
}

const revised = (column: keyof Tables["page_revisions"]) => sql.ref(`revision.${column}`);

const USER_COLUMNS = new Set(["created_by", "updated_by", "owned_by"]);
const WITH_REVISION = new Set(["page_create", "page_update"]);

const NOTHING = { known: {}, unknown: [] };

/** What listings show of an item: values known from its row and the viewer, and the columns that have to be queried. */
function itemFields(
  { columns }: ContentKind,
  row: Readonly<Record<string, unknown>> | undefined,
  { id, name, slug }: Viewer,
): { known: Record<string, unknown>; unknown: readonly string[] } {
  if (!row || !columns.every((column) => column in row)) return { known: {}, unknown: columns };
  const known: Record<string, unknown> = {};
  const unknown: string[] = [];
  for (const column of columns) {
    const value = row[column];
    if (!USER_COLUMNS.has(column) || value === null) known[column] = value;
    else if (value === id) known[column] = { id, name, slug };
    else unknown.push(column);
  }
  return { known, unknown };
}

/** A query of a kind's items: id, name, path below the base URL, and the columns as listings show them. */
function selectItem(
  kind: ContentKind,
  users: Pick<Users, "ref">,
  columns: readonly string[],
  withRevision: boolean,
): RawBuilder<unknown> {
  const column = (name: string) => sql.ref(`${kind.table}.${name}`);
  const value = (name: string) => {
    if (USER_COLUMNS.has(name)) return users.ref(column(name));
    return name.endsWith("_at") ? timeOf(column(name)) : column(name);
  };
  const pairs = columns.map((name) => sql`${sql.lit(name)}, ${value(name)}`);
  if (withRevision) pairs.push(sql`'current_revision', ${revisionOf(column("id"))}`);
  return sql`select ${column("id")}, ${column("name")}, ${kind.path} as path, jsonb_build_object(${sql.join(pairs)}) as shown
    from ${sql.table(kind.table)}`;
}

/** The newest revision of a page, which BookStack includes when a page is created or updated. */
function revisionOf(page: RawBuilder<unknown>): RawBuilder<unknown> {
  const time = timeOf(revised("created_at"));
  return sql`(select jsonb_build_object('id', ${revised("id")}, 'page_id', ${revised("page_id")}, 'name', ${revised("name")},
      'slug', ${revised("slug")}, 'book_slug', ${revised("book_slug")}, 'type', 'version', 'summary', ${revised("summary")},
      'revision_number', ${revised("number")}, 'created_by', ${revised("created_by")}, 'created_at', ${time}, 'updated_at', ${time})
    from page_revisions as revision where ${revised("page_id")} = ${page} order by ${revised("id")} desc limit 1)`;
}

function timeOf(column: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;
}
