/**
 * What the plugin of renamed tags declares: the table of renames, the bodies and answers of its routes, its events, and what its files
 * share. Renames are an addition to BookStack's API, where each item is updated by itself.
 */
import type { Generated, Selectable } from "kysely";
import { type Input, idSchema, nullable, type PluginContext, rules, type Static, t, timesFields } from "lectern/core";
import type { settings } from "./settings.ts";

/** Renames of tags, each from its request to its end. */
export interface TagRenamesTable {
  id: Generated<number>;
  name: string;
  /** The value whose tags are renamed; null for those of every value. */
  value: string | null;
  to_name: string;
  /** The new value; null where values stay. */
  to_value: string | null;
  status: Generated<RenameStatus>;
  /** Items that have changed, those that were left alone, and how many of both were expected. */
  changed: Generated<number>;
  left_alone: Generated<number>;
  total: number;
  /** The last item that was dealt with: the place of its kind in `TAGGED`, and its id. */
  at_kind: Generated<number>;
  at_id: Generated<number>;
  /** How often it was started: only the last start goes on. */
  run: Generated<number>;
  error: string | null;
  /** The permissions of a narrower credential, separated by commas; null for all of the user. */
  scope: string | null;
  created_by: number;
  created_at: Generated<string>;
  /** Of a rename that runs, its last sign of life. */
  updated_at: Generated<string>;
}

/** The state of a rename. */
export type RenameStatus = "waiting" | "running" | "done" | "failed";

/** A rename as it is stored. */
export type RenameRow = Selectable<TagRenamesTable>;

const MAX_CHARS = "max:255";

/** Which tags are renamed, and what they are called then. */
export const renameRules = rules({
  name: ["required", "string", MAX_CHARS],
  value: ["string", MAX_CHARS],
  to: ["required"],
  "to.name": ["required", "string", MAX_CHARS],
  "to.value": ["string", MAX_CHARS],
});

/** A validated body. */
export type RenameInput = Input<typeof renameRules>;

/** The tags that a rename changes, and how. */
export interface Rename {
  readonly name: string;
  /** Null for tags of every value. */
  readonly value: string | null;
  readonly to_name: string;
  /** Null where values stay. */
  readonly to_value: string | null;
}

const count = (description: string) => t.Integer({ minimum: 0, description });

/** What a rename would do. */
export const renamePlanSchema = t.Object(
  {
    changes: count("Items that you may update, which would change"),
    left_alone: count("Items that you see and may not update, which would keep the tag"),
  },
  { $id: "TagRenamePlan" },
);

/** The progress of a rename. */
export const renameSchema = t.Object(
  {
    id: idSchema,
    name: t.String(),
    value: nullable(t.String({ description: "Null for tags of every value" })),
    to: t.Object({ name: t.String(), value: nullable(t.String({ description: "Null where values stay" })) }),
    status: t.Union([t.Literal("waiting"), t.Literal("running"), t.Literal("done"), t.Literal("failed")]),
    changed: count("Items that have changed"),
    left_alone: count("Items that the user of the rename may not update"),
    total: count("Items that are to be dealt with"),
    error: nullable(t.String({ description: "Why it ended early; items that had changed by then stay so" })),
    url: t.String({ description: "The address of this answer" }),
    ...timesFields,
  },
  { $id: "TagRename" },
);

/** A rename as answers show it. */
export type ShownRename = Static<typeof renameSchema>;

/** What the files of this plugin share. */
export type RenamesContext = Pick<
  PluginContext<
    "access" | "users",
    "tag_renames" | "tags" | "books" | "bookshelves" | "chapters" | "pages",
    typeof settings
  >,
  | "app"
  | "baseUrl"
  | "contracts"
  | "db"
  | "jobs"
  | "log"
  | "perform"
  | "settings"
  | "slot"
  | "texts"
  | "validate"
  | "visible"
>;

declare module "lectern/contracts" {
  interface Answers {
    "/api/tags/rename": Static<typeof renamePlanSchema>;
    "POST /api/tags/rename": Static<typeof renameSchema>;
    [rename: `/api/tags/renames/${number}`]: Static<typeof renameSchema>;
  }
}

declare module "lectern/db" {
  interface Tables {
    tag_renames: TagRenamesTable;
  }
}

declare module "lectern/core" {
  interface Events {
    /** A rename was asked for; its items change afterwards, in batches. */
    tag_rename: { draft: Rename; result: Rename & { readonly id: number } };
    /** Some items of a rename change. The update events of the items were performed before, in the same transaction. */
    tag_rename_batch: {
      draft: { readonly id: number; readonly kind: string; readonly ids: readonly number[] };
      result: { readonly id: number; readonly changed: number; readonly left_alone: number };
    };
  }
  interface Jobs {
    tag_rename_run: { readonly id: number };
  }
}
