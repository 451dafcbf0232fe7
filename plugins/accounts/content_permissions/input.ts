import type { InputObject } from "lectern/core";
import type { Allowed, Entry, PermissionsDraft, PermissionsInput } from "./contract.ts";

/**
 * A body ready to be judged. What a read answers may be sent back, so a fallback's values that are null count as not
 * sent; the rules then say whether they are missed.
 */
export function withoutNulls(input: InputObject): InputObject {
  const { fallback_permissions: fallback } = input;
  if (typeof fallback !== "object" || fallback === null) return input;
  const sent = Object.entries(fallback).filter(([, value]) => value !== null);
  return { ...input, fallback_permissions: Object.fromEntries(sent) as never };
}

/** What a judged body asks for (platform 3): where a role is named twice the last entry counts, in the first's place. */
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

/** Inheriting, null and an empty list all mean that there is no fallback. */
function fallbackOf(sent: unknown): Allowed | null {
  if (typeof sent !== "object" || sent === null) return null;
  const { inheriting = true, ...rest } = sent as Allowed & { inheriting?: boolean };
  return inheriting ? null : allowed(rest);
}

function allowed({ view, create, update, delete: remove }: Allowed): Allowed {
  return { view, create, update, delete: remove };
}
