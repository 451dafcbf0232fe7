/** What happens to items of all kinds below an item that is deleted or moved. */
import { type EventName, type PluginContext, sql } from "lectern/core";
import { write } from "lectern/db";

/**
 * With an item its plugin deletes the items of all kinds below it, those of other plugins too; items deleted before keep their time of
 * deletion (content-api 4.8). now() is the time of the transaction, so all of them get the same time: the bin restores them together.
 */
export function deleteKindsBelow({ on, slot }: Pick<PluginContext, "on" | "slot">, parent: "book" | "chapter"): void {
  const event = `${parent}_delete` satisfies EventName;
  on(event, {
    async inTransaction({ id }, { db }) {
      const below = slot("content").flatMap((kind) => {
        const column = kind.parents.find((one) => one.kind === parent)?.column;
        return column === undefined ? [] : [{ ...kind, column }];
      });
      // The nearest kinds first, the order in which writers lock them. Templates, since the tables are those of contributed kinds.
      for (const { table, column } of below.sort((a, b) => a.parents.length - b.parents.length))
        await write(
          db,
          sql`update ${sql.table(table)} set deleted_at = now() where ${sql.ref(column)} = ${id}::integer and deleted_at is null`,
        );
    },
  });
}

/**
 * With an item that is moved, such as a chapter to another book, the items of all kinds below it get its parents, deleted ones too: they
 * would be in a book that their chapter is not in. Handlers of the move itself run before, so that those of a kind, which may give new
 * slugs, leave nothing to do here. Templates, since the tables are those of contributed kinds.
 */
export function moveKindsBelow({ on, slot }: Pick<PluginContext, "on" | "slot">): void {
  on.any({
    async inTransaction({ name, result }, { db }) {
      if (!name.endsWith("_move")) return;
      const moved = slot("content").find(({ kind }) => `${kind}_move` === name);
      if (!moved) return;
      // The result of the move of an item is that item.
      const { id } = result as { readonly id: number };
      for (const { table, parents } of slot("content")) {
        const link = parents.find(({ kind }) => kind === moved.kind);
        const shared = moved.parents.flatMap(({ kind, column: from }) => {
          const to = parents.find((parent) => parent.kind === kind)?.column;
          return to === undefined
            ? []
            : [{ to: sql.ref(to), below: sql.ref(`below.${to}`), from: sql.ref(`moved.${from}`) }];
        });
        if (!link || shared.length === 0) continue;
        const isElsewhere = sql.join(
          shared.map(({ below, from }) => sql`${below} is distinct from ${from}`),
          sql` or `,
        );
        // A template, since the tables are those of contributed kinds.
        await write(
          db,
          sql`update ${sql.table(table)} as below set ${sql.join(shared.map(({ to, from }) => sql`${to} = ${from}`))}
            from ${sql.table(moved.table)} as moved
            where moved.id = ${id}::integer and ${sql.ref(`below.${link.column}`)} = moved.id and (${isElsewhere})`,
        );
      }
    },
  });
}
