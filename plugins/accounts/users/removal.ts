import type { ApiError, Lookups, Viewer } from "lectern/core";
import type { Executor } from "lectern/db";
import { removeUser } from "./changes.ts";
import { mayTakeOver } from "./checks.ts";
import type { User, UsersContext } from "./contract.ts";

/** Who is deleted, and what becomes of the content. */
export interface Removal {
  readonly row: User;
  /** Id of the user who becomes the owner of the content; null for none. */
  readonly heir: number | null;
  /** Thrown for the only administrator in place of the 500 of the contract. */
  readonly onlyAdmin?: ApiError;
}

/** Deletes a user as an event. Throws what `removeUser` throws. */
export async function deleteUser(context: UsersContext, viewer: Viewer, removal: Removal): Promise<void> {
  const { row, heir, onlyAdmin } = removal;
  const tables = context.slot("content").map(({ table }) => table);
  await context.perform("user_delete", viewer, { row, heir }, async (final, tx) => {
    await removeUser(final.row, { heir: final.heir, tables, atOnce: context.deletedItems, onlyAdmin }, tx);
    return final.row;
  });
}

/** A lookup of whether a user can become the owner of the content of the user `id`. */
export function heirOf(db: Executor, id: number): NonNullable<Lookups["exists"]> {
  return (_, heir) => mayTakeOver(db, Number(heir), id);
}
