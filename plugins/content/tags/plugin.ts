import { itemReferences, referenceCheck, type Tags } from "lectern/contracts";
import { definePlugin, Gathered, isShipped, logRetried, MINUTE_MS, type PluginContext, PowerError } from "lectern/core";
import { overAll } from "lectern/db";
import { deleteTags, saveTags } from "./changes.ts";
import type {} from "./contract.ts";
import { ensureTagCounts, taggedKinds } from "./counts.ts";
import { mergeAllTagChanges } from "./merge.ts";
import { migrations } from "./migrations.ts";
import { parseTags } from "./parse_tags.ts";
import { tagsAsJson } from "./queries.ts";
import { mountTagRoutes } from "./routes.ts";
import { tagCountsCheck } from "./self_check.ts";
import { tagsBeginningWith } from "./suggestions.ts";

/** After the first tags that this process has written since its last merge: listings read the changes in between one by one. */
const MERGE_MS = 10_000;
/** Between two merges of what else changes counts, such as permissions of items, and of what a process left that ended. */
const MERGE_REST_MS = 10 * MINUTE_MS;

/** A name or value in the documentation; `parse_tags.ts` checks it. */
const TEXT = { type: "string", maxLength: 255 };

/** Tags of items of any kind (content-api 4.3), and listings of their names and values. Tags are set with their items. */
export default definePlugin({
  name: "tags",
  requires: ["access"],
  provides: ["tags"],
  grants: {
    write: ["tags", "tag_change", "tag_count", "tag_name_count"],
    read: ["books", "chapters", "pages", "bookshelves"],
  },
  migrations,
  syncSchema: (db, { slot }) => ensureTagCounts(taggedKinds(slot("content")), db),
  setup(context) {
    const { contribute, db, jobs, log, onStart, onStop, provide, slot } = context;
    mountTagRoutes(context);
    const merge = () => mergeAllTagChanges(overAll(db));
    jobs.every("merge", MERGE_REST_MS, merge);
    // The process that wrote merges, so that a server that nobody writes to asks the store nothing.
    const onFailure = (error: unknown) => logRetried(log, "Cannot merge the counts of tags", { error });
    const merges = new Gathered({ ms: MERGE_MS, run: merge, onFailure });
    onStart(() => merges.start());
    onStop(() => merges.stop());
    const mergeSoon = () => merges.soon();
    contribute("dependents", {
      async destroy(ids, tx, kind) {
        await deleteTags(ids, tx, kind);
        tx.afterCommit(mergeSoon);
      },
    });
    contribute(
      "self_check",
      referenceCheck(db, {
        name: "tags/items",
        title: "Every tag belongs to an item",
        references: () => itemReferences(slot("content"), { table: "tags", kind: "kind", id: "item_id" }),
        repair: "delete",
      }),
    );
    contribute(
      "self_check",
      tagCountsCheck(() => taggedKinds(slot("content")), overAll(db)),
    );
    for (const field of ["tags", "base_tags"])
      contribute("list_item_schema", { field, schema: { type: "object", properties: { name: TEXT, value: TEXT } } });
    const save: Tags["save"] = async (kind, id, tags, tx) => {
      await saveTags(kind, id, tags, tx);
      tx.afterCommit(mergeSoon);
    };
    const service = { read: parseTags, save, of: tagsAsJson, beginningWith: tagsBeginningWith(context) };
    // It leaves the check of the viewer to its caller.
    provide("tags", service, { save: "writes", beginningWith: "ships" }, ({ name, ships }) =>
      ships ? {} : { save: savedTo(save, name, slot) },
    );
  },
});

/** `Tags.save` for a plugin that does not ship: tags of shipped kinds are changed by the events of their items. */
function savedTo(save: Tags["save"], plugin: string, slot: PluginContext["slot"]): Tags["save"] {
  return async (kind, ...given) => {
    if (slot("content").some((known) => known.kind === kind && isShipped(known)))
      throw new PowerError(
        `The plugin "${plugin}" saves tags of a "${kind}", whose plugin ships: call its API instead`,
      );
    await save(kind, ...given);
  };
}
