/**
 * Copies of pages, chapters and books, and conversions of chapters to books and of books to shelves. Items of every kind that has a
 * maker with `read` and is found by exports are copied with what they are in; the makers and exports know their tables, this plugin does not.
 */
import { activityOf, descriptor, referenceCheck } from "lectern/contracts";
import { DAY_MS, definePlugin, HOUR_MS, hasPermission, sql } from "lectern/core";
import { prepared } from "lectern/db";
import type {} from "./contract.ts";
import { migrations } from "./migrations.ts";
import { mountCopies } from "./routes.ts";
import { purgeCopies, resumeCopies, runCopy, TRIES } from "./runs.ts";
import { settings } from "./settings.ts";

const deleteOfUser = prepared("content_copies.deleteOfUser", (db, p: { id: number }) =>
  db.deleteFrom("content_copies").where("created_by", "=", p.id),
);

export default definePlugin({
  name: "content_copies",
  requires: ["access", "users"],
  uses: ["overrides"],
  grants: {
    write: ["content_copies", "books", "chapters", "bookshelf_books"],
    contentTables: ["write"],
    system: true,
    impersonate: true,
  },
  settings,
  migrations,
  events: ["content_copy", "chapter_convert", "book_convert"],
  setup(context) {
    const { contribute, db, jobs, on, visibilityRule } = context;
    visibilityRule("content_copies", (viewer) =>
      hasPermission(viewer, "settings-manage") ? true : sql<boolean>`content_copies.created_by = ${viewer.id}::integer`,
    );
    for (const [event, type] of [
      ["chapter_convert", "book_create_from_chapter"],
      ["book_convert", "bookshelf_create_from_book"],
    ] as const)
      contribute("activity", {
        ...activityOf(event, ({ result }) => [
          { type, detail: descriptor(result), item: { kind: result.kind, id: result.id } },
        ]),
        types: [type],
      });
    // Its copies in the background end with it: what they still do is rolled back.
    on("user_delete", {
      async inTransaction({ id }, tx) {
        await deleteOfUser.write(tx.db, { id });
      },
    });
    contribute(
      "self_check",
      referenceCheck(db, {
        name: "content_copies/users",
        title: "Every copy in the background belongs to a user",
        references: () => [{ table: "content_copies", column: "created_by", to: "users" }],
        repair: "delete",
      }),
    );
    jobs.handle("content_copy_run", ({ id }, run) => runCopy(context, id, run), {
      limit: 1,
      tries: TRIES,
      leaseMs: HOUR_MS,
    });
    jobs.every("resume", 2 * context.settings.staleMs, () => resumeCopies(context));
    jobs.every("purge", DAY_MS, () => purgeCopies(context));
    mountCopies(context);
  },
});
