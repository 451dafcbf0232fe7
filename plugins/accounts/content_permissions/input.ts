import type { InputObject } from "lectern/core";
import type { Allowed, Entry, PermissionsDraft, PermissionsInput } from "./contract.ts";

/**
 * Prepares a body for validation. Clients send back what they read, so null values of a fallback count as absent; the
 * rules decide whether they are required.
 */
export function withoutNulls(input: InputObject): InputObject {
  const { fallback_permissions: fallback } = input;
  if (typeof fallback !== "object" || fallback === null) return input;
  const sent = Object.entries(fallback).filter(([, value]) => value !== null);
  return { ...input, fallback_permissions: Object.fromEntries(sent) };
}

/** The draft of a validated body (platform 3). If a role has two entries, the last one counts, in the position of the first. */
export function draftOf(input: PermissionsInput): PermissionsDraft {
  const { owner_id, role_permissions: roles, fallback_permissions: fallback } = input;
  return {
    ...(owner_id !== undefined && { owner_id }),
    ...(roles !== undefined && { roles: entriesOf(Object.values(roles) as Entry[]) }),
    ...(fallback !== undefined && { fallback: fallbackOf(fallback) }),
  };
}

function entriesOf(sent: readonly Entry[]): Entry[] {
  return [...new Map(sent.map((entry) => [entry.role_id, { role_id: entry.role_id, ...allowed(entry) }])).values()];
}

/** `inheriting: true`, null and an empty list all mean that there is no fallback. */
function fallbackOf(sent: unknown): Allowed | null {
  if (typeof sent !== "object" || sent === null) return null;
  const { inheriting = true, ...rest } = sent as Allowed & { inheriting?: boolean };
  return inheriting ? null : allowed(rest);
}

function allowed({ view, create, update, delete: remove }: Allowed): Allowed {
  return { view, create, update, delete: remove };
}
