import type { EventTransaction } from "lectern/core";
import type { ItemRef } from "./exports.ts";

/** The permissions of a role on an item and its descendants, in place of those it has elsewhere. */
export interface Override {
  /** 0 for the fallback, which holds for all roles without an entry. */
  readonly role_id: number;
  readonly view: boolean;
  readonly create: boolean;
  readonly update: boolean;
  readonly delete: boolean;
}

/**
 * Content permissions of imported and copied items (platform 3).
 * @example
 * export default definePlugin({
 *   name: "freeze",
 *   requires: ["access", "overrides"],
 *   events: ["book_freeze"],
 *   setup({ app, contracts: { access, overrides }, perform }) {
 *     const readOnly = { role_id: 0, view: true, create: false, update: false, delete: false };
 *     app.post(
 *       "/freeze",
 *       async ({ body, viewer }) => {
 *         await access.need(viewer, "restrictions-manage-all");
 *         return await perform("book_freeze", viewer, body, async (draft, tx) => {
 *           await overrides.replace("book", draft.id, [readOnly], tx);
 *           return draft;
 *         });
 *       },
 *       { permit: "access-api", body: t.Object({ id: idSchema }) },
 *     );
 *   },
 * });
 *
 * declare module "lectern/core" {
 *   interface Events { book_freeze: { draft: { id: number }; result: { id: number } } }
 * }
 */
export interface Overrides {
  /** Whether overrides are set on an item itself, whoever asks. */
  areSet(kind: string, id: number): Promise<boolean>;
  /**
   * Replaces all overrides of an item, as one event within the transaction; descendants follow at the commit. Throws
   * ApiError 404 where there is no such item, and 403 where the viewer of the transaction may not manage its permissions.
   */
  replace(kind: string, id: number, entries: readonly Override[], tx: EventTransaction): Promise<void>;
  /**
   * Gives items the overrides that are set on others, with the event of `replace` for each; an item whose original has none is left
   * alone. With `ifManaged` only where the viewer of the transaction may manage the permissions of both; otherwise the caller decides who
   * may. Returns how many items got overrides.
   */
  copy(
    pairs: readonly { readonly from: ItemRef; readonly to: ItemRef }[],
    tx: EventTransaction,
    options?: { readonly ifManaged?: boolean },
  ): Promise<number>;
}

declare module "lectern/core" {
  interface Contracts {
    overrides: Overrides;
  }
}
