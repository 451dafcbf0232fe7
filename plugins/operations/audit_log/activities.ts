/**
 * The rows that the shipped events leave in the log (platform 6.3, 6.4). Events of content are derived from its kinds; other
 * events have entries here or in the slot `activity`, which any plugin can fill. Attachments and images leave no rows, as
 * in BookStack.
 */
import { type Activity, type ActivitySource, activityOf, type ContentKind, descriptor } from "lectern/contracts";
import type { EventName, EventRecord } from "lectern/core";

/** Verbs of the events of content that are logged. */
const VERBS = ["create", "update", "delete", "move"];

/** The rows of an event of content, none while only the owner sees the item; undefined for other events. */
export function ofContent(kinds: readonly ContentKind[], { name, result }: EventRecord): Activity[] | undefined {
  const at = name.lastIndexOf("_");
  const kind = kinds.find((one) => one.kind === name.slice(0, at));
  if (!kind || !VERBS.includes(name.slice(at + 1))) return undefined;
  const row = result as { readonly [column: string]: unknown; id: number; name: string };
  // The log and webhooks would reveal its name.
  if (kind.ownOnly !== undefined && row[kind.ownOnly] === true) return [];
  return [{ type: name, detail: descriptor(row), item: { kind: kind.kind, id: row.id, row } }];
}

/** The entries of other shipped events. */
export const SOURCES: readonly ActivitySource[] = [
  ...(["user_create", "user_update", "user_delete"] as const).map((event) =>
    // Only the fields of a user reference, since webhooks receive them: no e-mail addresses (platform 10.3).
    activityOf(event, ({ result: { id, name, slug } }) => [
      { type: event, detail: descriptor({ id, name }), related: { id, name, slug } },
    ]),
  ),
  ...(["role_create", "role_update", "role_delete"] as const).map((event) =>
    activityOf(event, ({ result: { users: _, permissions: __, ...role } }) => [
      { type: event, detail: descriptor({ id: role.id, name: role.display_name }), related: role },
    ]),
  ),
  ...(["api_token_create", "api_token_update", "api_token_delete"] as const).map((event) =>
    activityOf(event, ({ result: { id, name, user_id, user_name } }) => [
      {
        type: event,
        detail: `${descriptor({ id, name })}; User: ${descriptor({ id: user_id, name: user_name })}`,
        path: `/api-tokens/${user_id}/${id}`,
      },
    ]),
  ),
  activityOf("auth_login", ({ draft: { method, user } }) => [
    { type: "auth_login", detail: `${method}; ${descriptor(user)}` },
  ]),
  activityOf("auth_password_reset_request", ({ result: { email } }) => [
    { type: "auth_password_reset_request", detail: email },
  ]),
  activityOf("auth_password_reset_update", ({ result }) => [
    { type: "auth_password_reset_update", detail: descriptor(result) },
  ]),
  activityOf("permissions_update", ({ result: item }) => [
    { type: "permissions_update", detail: descriptor(item), item: { kind: item.kind, id: item.id } },
  ]),
];

/** The entries by the name of their event. */
export function sourcesByEvent(sources: readonly ActivitySource[]): ReadonlyMap<EventName, readonly ActivitySource[]> {
  return Map.groupBy(sources, ({ event }) => event);
}
