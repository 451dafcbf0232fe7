/**
 * Texts of attachments, so that a search finds a page by what is in the PDFs, documents, spreadsheets and text files attached to it, and by
 * their names. Files are read by jobs, each in a process of its own with limits; what was read is a row of one table, which the search
 * reads by the slot `searched_parts`. The answers about attachments do not change. Without `search` or `attachments` there is nothing to do.
 */
import { definePlugin, type EventTransaction, MINUTE_MS, SECOND_MS, t } from "lectern/core";
import { type Attachment, forget, forgetPages, record } from "./changes.ts";
import type { TextsContext } from "./contract.ts";
import { fillRange } from "./fill.ts";
import { migrations } from "./migrations.ts";
import { readAttachment } from "./reading.ts";
import { textChecks } from "./self_checks.ts";

/** Files that a server reads at a time: one that was just uploaded, and one of those that were there before. */
const AT_ONCE = 2;
/** Tries where the file store does not answer; with their growing pauses they take half a day. */
const TRIES = 20;
/** Beside the time of reading a file: copying it out of the file store, the start of the process, and the words. */
const LEASE_BESIDE_MS = 4 * MINUTE_MS;

/** The key of the job that enters attachments, and the group of those that read them. */
const FILL = "fill";

/** The payload and place of the job of an attachment: groups keep what was just uploaded from waiting behind what was there before. */
const jobOf = (id: number, group: "new" | typeof FILL) => [{ id }, { key: String(id), group }] as const;

export default definePlugin({
  name: "attachment_texts",
  uses: ["search"],
  after: ["attachments"],
  // Attachments are not written, but locked while rows are made of them.
  grants: { write: ["attachment_texts", "attachments"] },
  optionalTables: ["attachments"],
  settings: t.Object({
    fileMegabytes: t.Integer({
      default: 100,
      minimum: 1,
      constant: true,
      description: "Larger files are found by their names alone",
    }),
    textChars: t.Integer({
      default: 500_000,
      minimum: 1_000,
      constant: true,
      description:
        "Characters of the text of a file that can be searched, some 200 dense pages: the words of more exceed what the store keeps",
    }),
    seconds: t.Integer({
      default: 60,
      minimum: 1,
      constant: true,
      description: "How long reading a file may take; after three fifths what was found so far is kept",
    }),
    memoryMegabytes: t.Integer({
      default: 768,
      minimum: 64,
      constant: true,
      description: "Memory of the process that reads a file",
    }),
    unpackedMegabytes: t.Integer({
      default: 200,
      minimum: 1,
      constant: true,
      description: "What a document, which is an archive, may unpack to",
    }),
  }),
  migrations,
  setup(plugin) {
    const { baseUrl, contracts, contribute, db, jobs, log, on, settings, slot } = plugin;
    const { search } = contracts;
    if (!search) return;
    const context: TextsContext = {
      db,
      log,
      search,
      limits: settings,
      enqueueReading: (id) => jobs.enqueue("attachment_text", ...jobOf(id, FILL)),
      keeper: () => slot("file_keeper").find((one) => one.plugin === "attachments"),
    };
    contribute("searched_parts", {
      kind: "page",
      table: "attachment_texts",
      idColumn: "attachment_id",
      itemColumn: "page_id",
      nameColumn: "name",
      textColumn: "text",
      wordsColumn: "words",
      url: (id) => `${baseUrl}/attachments/${id}`,
    });
    const enter = async (attachment: Attachment, tx: EventTransaction) => {
      const { isWaiting, left } = await record(attachment, search, tx.db);
      if (isWaiting) await tx.enqueue("attachment_text", ...jobOf(attachment.id, "new"));
      await forgetWords(left, tx);
    };
    on("attachment_create", { inTransaction: enter });
    on("attachment_update", { inTransaction: enter });
    const forgetWords = async (deleted: readonly string[], tx: EventTransaction) => {
      for (const words of deleted) await tx.enqueue("attachment_words", { words });
    };
    on("attachment_delete", { inTransaction: async ({ id }, tx) => forgetWords(await forget(id, tx.db), tx) });
    contribute("dependents", {
      kind: "page",
      destroy: async (ids, tx) => forgetWords(await forgetPages(ids, tx.db), tx),
    });
    on("app_boot", {
      inTransaction: (_, tx) => tx.enqueue("attachment_texts_fill", { after: 0 }, { key: FILL }),
    });
    jobs.handle("attachment_text", ({ id }, { signal }) => readAttachment(context, id, signal), {
      limit: AT_ONCE,
      perGroup: 1,
      tries: TRIES,
      leaseMs: settings.seconds * SECOND_MS + LEASE_BESIDE_MS,
    });
    jobs.handle("attachment_words", ({ words }) => search.forgetWords(words));
    jobs.handle("attachment_texts_fill", async ({ after }) => {
      const next = await fillRange(context, after);
      if (next !== undefined) await jobs.enqueue("attachment_texts_fill", { after: next }, { key: FILL });
    });
    for (const check of textChecks(context)) contribute("self_check", check);
  },
});
