import type { EventRecord, EventTransaction, PluginContext } from "lectern/core";
import type { Child } from "./arrange.ts";
import { bookOf, copyRule, keptRule, removeRules, sortKept } from "./kept_rules.ts";

const CHANGES = /^(?:page|chapter)_(create|update|move)$/;

/** Keeps books sorted by their rules: queues a job for what is made, renamed, moved or restored, and follows copies and removals of books. */
export function keepSorted({
  contribute,
  db,
  jobs,
  on,
}: Pick<
  PluginContext<never, "book_sort_rules" | "books" | "chapters" | "pages">,
  "contribute" | "db" | "jobs" | "on"
>): void {
  const queue = (bookId: number, tx: EventTransaction, isAwaited = false) =>
    tx.enqueue("book_sort_keep", { bookId }, isAwaited ? { key: String(bookId) } : {});
  on.any({
    async inTransaction(record, tx) {
      const bookId = changedBook(record);
      if (bookId === undefined) return;
      const rule = await keptRule(bookId, tx.db);
      if (rule === null || (rule !== "-updated" && isSameName(record))) return;
      // An update locks the entry alone, so a job that waits already may run before its commit.
      await queue(bookId, tx, !record.name.endsWith("_update"));
    },
  });
  on("recycle_bin_restore", {
    async inTransaction({ deletable_type: kind, deletable_id: id }, tx) {
      if (kind !== "page" && kind !== "chapter") return;
      const bookId = await bookOf(kind, id, tx.db);
      if (bookId !== undefined && (await keptRule(bookId, tx.db)) !== null) await queue(bookId, tx);
    },
  });
  on("content_copy", {
    inTransaction: ({ kind, id, made }, tx) => (kind === "book" ? copyRule(id, made.id, tx.db) : undefined),
  });
  contribute("dependents", {
    kind: "book",
    destroy: (ids, tx) => removeRules([...ids], tx.db),
  });
  jobs.handle("book_sort_keep", ({ bookId }) => db.transaction().execute((tx) => sortKept(bookId, tx)), { limit: 1 });
}

/** The book with a chapter or page that an event has made, changed or moved; undefined for other events and for drafts. */
function changedBook({ name, result }: EventRecord): number | undefined {
  if (!CHANGES.test(name)) return undefined;
  // The results of these events are rows of chapters and pages.
  const { book_id, draft } = result as Partial<Record<"book_id", number>> & { readonly draft?: boolean };
  return draft === true ? undefined : book_id;
}

/** Whether an event has changed a chapter or page, and not its name. */
function isSameName({ name, draft, result }: EventRecord): boolean {
  const [, verb] = CHANGES.exec(name) ?? [];
  // The draft of an update has the row before it.
  const { row } = draft as { readonly row?: Pick<NamedChild, "name"> };
  return verb === "update" && row?.name === (result as NamedChild).name;
}

type NamedChild = Child & { readonly name: string };
