/**
 * The five routes of comments below /api. A comment is seen by whoever sees its page; who may change it follows from
 * roles and from who made it, and overrides on the page say nothing about that (platform 2.3). Creating asks for the
 * right, then judges the body, then looks for the page; changing looks for the comment first (content-api 1.5).
 */
import {
  type ListSpec,
  mountResource,
  notFound,
  type PluginContext,
  type ResourceSpec,
  sql,
  type Viewer,
} from "lectern/core";
import { rows } from "lectern/db";
import { about, examples } from "./about.ts";
import type { FoundComment } from "./contract.ts";
import type { Parts } from "./parts.ts";
import { createRules, updateRules } from "./rules.ts";
import { findComment, LISTED, readComment, shownComment } from "./show.ts";
import { changeComment, insertComment, removeComment } from "./write.ts";

const list: ListSpec = {
  table: "comments",
  fields: {
    id: "integer",
    commentable_id: { type: "integer", column: sql.ref("comments.page_id") },
    commentable_type: { type: "text", column: sql`'page'::text` },
    parent_id: { type: "integer", nullable: true },
    local_id: "integer",
    content_ref: "text",
    created_by: { type: "integer", nullable: true },
    updated_by: { type: "integer", nullable: true },
    created_at: "timestamp",
    updated_at: "timestamp",
  },
  columns: LISTED,
};

const spec: ResourceSpec<typeof createRules, typeof updateRules> = {
  name: "comment",
  noun: "Comment",
  path: "/comments",
  create: createRules,
  update: updateRules,
  bodyFirst: false,
  permits: { create: "comment-create-all" },
  list,
  about,
  examples,
};

/** Mounts the five routes of comments. */
export function mountComments(context: Pick<PluginContext, "app" | "list" | "valid" | "perform">, parts: Parts): void {
  const { access } = parts.contracts;
  mountResource<FoundComment, typeof createRules, typeof updateRules, undefined>(context, spec, {
    find: (viewer, id) => findComment(parts, viewer, id),
    may: (viewer, verb, { id, created_by }) => access.may(viewer, `comment-${verb}`, { id, owned_by: created_by }),
    async place(viewer, draft) {
      // Asked before the body is judged and again after it: only then is there a page to look for.
      if (draft && !(await seesPage(parts, viewer, draft.page_id))) throw notFound("Page");
      return undefined;
    },
    insert: (draft, work) => insertComment(parts, draft, work),
    change: (row, draft, work) => changeComment(parts, row, draft, work),
    remove: removeComment,
    listed: (records) => [...records],
    show: async (row, _viewer, moment) => (moment === "saved" ? shownComment(row) : readComment(row)),
  });
}

async function seesPage({ db, sees }: Parts, viewer: Viewer, id: number): Promise<boolean> {
  const found = await rows(db, sql`select 1 from pages where pages.id = ${id}::integer and ${sees("pages", viewer)}`);
  return found.length > 0;
}
