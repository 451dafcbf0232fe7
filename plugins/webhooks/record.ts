/**
 * Keeping what webhooks shall be told, in the transaction of what happened: one statement, which also reads the item as
 * it is at that moment, so that the call for a deleted page still shows the page. Where no webhook listens, nothing is
 * asked of the store.
 */
import { type Activity, type ContentKind, type RawBuilder, sql, type Users, type Work } from "lectern/core";
import { rows } from "lectern/db";
import type { Payload } from "./contract.ts";
import { phraseOf } from "./phrases.ts";

/** What recording needs. */
export interface RecordParts {
  readonly kinds: readonly ContentKind[];
  readonly users: Pick<Users, "ref">;
  readonly baseUrl: string;
}

/** The payload of something that happened (platform 10.3), but for what names the webhook; the item is read with it. */
export async function payloadOf(
  parts: RecordParts,
  { type, item, related, path }: Activity,
  { db, viewer, at }: Work,
): Promise<Payload> {
  const { id, name, slug } = viewer;
  const found = item && (await itemOf(parts, item, type, db));
  const quoted = found ? ` "${String(found.item.name)}"` : "";
  return {
    event: type,
    text: `${name} ${phraseOf(type)}${quoted}`,
    triggered_at: at.replace(/\.\d+Z$/, ".000000Z"),
    triggered_by: { id, name, slug },
    triggered_by_profile_url: `${parts.baseUrl}/user/${slug}`,
    ...(found && { url: `${parts.baseUrl}${found.path}`, related_item: found.item }),
    ...(!found && path !== undefined && { url: `${parts.baseUrl}${path}` }),
    ...(!found && related && { related_item: related }),
  };
}

/** What must be heard of in order: an item of content, or whatever else was made, changed and removed; "" for neither. */
export function subjectOf({ type, item, related, path, subject }: Activity): string {
  if (subject !== undefined) return subject;
  if (item) return `${item.kind} ${item.id}`;
  return related?.id === undefined ? (path ?? "") : `${type.slice(0, type.lastIndexOf("_"))} ${String(related.id)}`;
}

/** Keeps it for whoever listens. */
export async function keepEvent(payload: Payload, subject: string, { db }: Work): Promise<void> {
  await rows(
    db,
    sql`insert into webhook_events (type, subject, payload)
      values (${payload.event}, ${subject}, ${JSON.stringify(payload)}::text::jsonb)`,
  );
}

interface Found {
  readonly path: string;
  readonly item: Record<string, unknown>;
}

async function itemOf(
  { kinds, users }: RecordParts,
  { kind: name, id }: NonNullable<Activity["item"]>,
  type: string,
  db: Work["db"],
): Promise<Found | undefined> {
  const kind = kinds.find((one) => one.kind === name);
  if (!kind) return undefined;
  const column = (one: string) => sql.ref(`${kind.table}.${one}`);
  const shown = kind.columns.map((one) =>
    PEOPLE.has(one) ? sql`${users.ref(column(one))} as ${sql.id(one)}` : column(one),
  );
  const revision: RawBuilder<unknown> = REVISED.has(type)
    ? sql`, ${revisionOf(column("id"))} as current_revision`
    : sql``;
  const [found] = await rows<Record<string, unknown> & { path: string }>(
    db,
    sql`select ${sql.join(shown)}, ${kind.path} as path ${revision}
      from ${sql.table(kind.table)} where ${column("id")} = ${id}::integer`,
  );
  if (!found) return undefined;
  const { path, ...item } = found;
  return { path, item };
}

const PEOPLE = new Set(["created_by", "updated_by", "owned_by"]);
const REVISED = new Set(["page_create", "page_update"]);

/** The newest revision of a page; the original shows it where a page was written. */
function revisionOf(page: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`(select json_build_object('id', revision.id, 'page_id', revision.page_id, 'name', revision.name,
      'slug', revision.slug, 'book_slug', revision.book_slug, 'type', 'version', 'summary', revision.summary,
      'revision_number', revision.number, 'created_by', revision.created_by,
      'created_at', to_char(revision.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'),
      'updated_at', to_char(revision.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'))
    from page_revisions as revision where revision.page_id = ${page} order by revision.number desc limit 1)`;
}
