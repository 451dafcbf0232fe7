import { peopleOf } from "lectern/contracts";
import { sql, type Viewer } from "lectern/core";
import { flattened } from "lectern/db";
import type { ItemContext, ItemKind, Tagged } from "./contract.ts";

/** Reads an item with its tags and people in one statement; undefined where the viewer does not see it. */
export type ItemFinder<Row> = (viewer: Viewer, id: number) => Promise<Row | undefined>;

/** Makes the read of a kind. */
export function itemFinder<Stored, Read>(
  { contracts: { users, tags }, db, visible }: ItemContext,
  { kind, table, statements }: ItemKind<Stored, Read>,
): ItemFinder<Tagged<Read>> {
  const parts = {
    people: flattened(peopleOf(users, table)),
    tags: flattened(tags.of(kind, sql.ref(`${table}.id`))),
  };
  return (viewer, id) => statements.find.executeTakeFirst(db, { id, ...parts, visible: visible.where(table, viewer) });
}
