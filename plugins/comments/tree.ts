/**
 * The comments of a page as a tree (content-api 10.5). Replies name what they answer by its number on the page; where
 * that comment was deleted, they stand at the top. Whether a tree is archived is a matter of its root alone.
 */
import type { UserRef } from "lectern/core";
import type { CommentRow } from "./contract.ts";
import { shownComment } from "./show.ts";

/** A comment with its author. */
export type Told = CommentRow & { readonly author: UserRef | null };

/** A comment as the tree shows it: who wrote it is told in full, who changed it by number. */
export type ShownComment = Omit<ReturnType<typeof shownComment>, "created_by"> & {
  readonly created_by: UserRef | null;
};

/** A comment and what was replied to it. */
export interface CommentNode {
  readonly comment: ShownComment;
  /** 0 for those at the top. */
  readonly depth: number;
  readonly children: CommentNode[];
}

/** What a page's answer has under `comments`. */
export interface CommentTrees {
  readonly active: readonly CommentNode[];
  readonly archived: readonly CommentNode[];
}

/** Deeper replies stand beside what they answer: writing JSON far deeper than this runs out of stack. */
export const DEEPEST = 5000;

/** The trees of one page's comments; at each level they keep the order they come in. */
export function treesOf(comments: readonly Told[]): CommentTrees {
  const numbers = new Set(comments.map(({ local_id }) => local_id));
  const replies = Map.groupBy(comments, ({ parent_id }) =>
    parent_id !== null && numbers.has(parent_id) ? parent_id : undefined,
  );
  const roots = (replies.get(undefined) ?? []).map((comment) => nodeOf(comment, 0));
  const open = roots.map((node) => ({ node, siblings: roots }));
  // Grows while it is walked, so that depth costs no stack.
  for (const { node, siblings } of open) {
    const isDeepest = node.depth === DEEPEST;
    const beside = isDeepest ? siblings : node.children;
    for (const reply of replies.get(node.comment.local_id) ?? []) {
      const child = nodeOf(reply, isDeepest ? DEEPEST : node.depth + 1);
      beside.push(child);
      open.push({ node: child, siblings: beside });
    }
  }
  return {
    active: roots.filter(({ comment }) => !comment.archived),
    archived: roots.filter(({ comment }) => comment.archived),
  };
}

function nodeOf({ author, ...row }: Told, depth: number): CommentNode {
  return { comment: { ...shownComment(row), created_by: author }, depth, children: [] };
}
