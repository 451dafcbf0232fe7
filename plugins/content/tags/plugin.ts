import { itemReferences, referenceCheck, type Tags } from "lectern/contracts";
import { definePlugin, isShipped, type PluginContext, PowerError } from "lectern/core";
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

/** Between two merges of counts: listings read the changes in between one by one. */
const MERGE_MS = 10_000;

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
    const { contribute, db, jobs, provide, slot } = context;
    mountTagRoutes(context);
    jobs.every("merge", MERGE_MS, () => mergeAllTagChanges(overAll(db)));
    contribute("dependents", { destroy: deleteTags });
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
    contribute("list_item_schema", {
      field: "tags",
      schema: { type: "object", properties: { name: TEXT, value: TEXT } },
    });
    const service = { read: parseTags, save: saveTags, of: tagsAsJson };
    provide("tags", service, { save: "writes" }, ({ name, ships }) => (ships ? {} : { save: savedTo(name, slot) }));
  },
});

/** `Tags.save` for a plugin that does not ship: tags of shipped kinds are changed by the events of their items. */
function savedTo(plugin: string, slot: PluginContext["slot"]): Tags["save"] {
  return async (kind, ...given) => {
    if (slot("content").some((known) => known.kind === kind && isShipped(known)))
      throw new PowerError(
        `The plugin "${plugin}" saves tags of a "${kind}", whose plugin ships: call its API instead`,
      );
    await saveTags(kind, ...given);
  };
}
