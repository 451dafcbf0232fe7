import { Findings, referenceCheck, type SelfCheck } from "lectern/contracts";
import { sql } from "lectern/core";
import type { Db } from "lectern/db";
import type { TextsContext } from "./contract.ts";
import { countMissing, fillRange } from "./fill.ts";

/** Examples of a report. */
const EXAMPLES = 5;

/** The checks of what the search finds of attachments. */
export function textChecks(context: TextsContext): SelfCheck[] {
  const { db } = context;
  return [
    {
      name: "attachment_texts/missing",
      title: "The text of every attachment was entered for the search",
      async check() {
        const findings = new Findings();
        const { ids, n } = await countMissing(context);
        if (n > 0) findings.add(`attachment ${ids.join(", ")}${n > ids.length ? " …" : ""}`, n);
        return findings.as("error");
      },
      async fix() {
        const { n } = await countMissing(context);
        for (let after: number | undefined = 0; after !== undefined; ) after = await fillRange(context, after);
        return n;
      },
    },
    {
      name: "attachment_texts/unreadable",
      title: "The text of every attachment can be read",
      async check() {
        const findings = new Findings();
        for (const { reason, ids, n } of await unreadable(db))
          findings.add(`${reason}: attachment ${ids.join(", ")}${n > EXAMPLES ? " …" : ""}`, n);
        return findings.as(
          "warning",
          "They are found by their names alone. Attach files without a password, or smaller ones, where their text is to be found.",
        );
      },
      // What ended for no reason of the file may end otherwise: its file is back, or the server has more memory.
      async fix() {
        const again = await waitAgain(db);
        for (const { attachment_id } of again) await context.enqueueReading(attachment_id);
        return again.length;
      },
    },
    referenceCheck(db, {
      name: "attachment_texts/attachments",
      title: "Every text of an attachment is of an attachment",
      references: () => [{ table: "attachment_texts", column: "attachment_id", to: "attachments" }],
      repair: "delete",
    }),
  ];
}

/** Makes attachments wait again whose files were lost, or whose process ended. */
function waitAgain(db: Db) {
  return db
    .updateTable("attachment_texts")
    .set({ state: "waiting", reason: null, tries: 0, read_at: null })
    .where("state", "=", "failed")
    .where("reason", "in", ["lost", "interrupted"])
    .returning("attachment_id")
    .execute();
}

/** Attachments that could not be read, by reason: their number, and the first ones. */
function unreadable(db: Db) {
  return db
    .selectFrom("attachment_texts")
    .select((eb) => [
      "reason",
      eb.cast<number>(eb.fn.countAll(), "integer").as("n"),
      sql<number[]>`(array_agg(attachment_id order by attachment_id))[1:${sql.lit(EXAMPLES)}]`.as("ids"),
    ])
    .where("state", "=", "failed")
    .groupBy("reason")
    .orderBy("n", "desc")
    .orderBy("reason")
    .execute();
}
