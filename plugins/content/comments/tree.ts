/** A comment with its replies; roots have depth 0 (content-api 10.5). */
export interface CommentTree<T> {
  readonly comment: T;
  readonly depth: number;
  readonly children: CommentTree<T>[];
}

/** The columns that trees are made from. */
interface Linked {
  readonly local_id: number;
  readonly parent_id: number | null;
  readonly archived: boolean;
}

/** Maximum depth: deeper replies become siblings of the comment they reply to, since JSON parsers limit nesting. */
const MAX_DEPTH = 100;

/**
 * Builds the trees of a page's comments. Siblings keep the order of `comments`; a tree is archived if its root is. A reply
 * to a deleted comment becomes a root.
 */
export function treesOf<Row extends Linked, T>(
  comments: readonly Row[],
  present: (row: Row) => T,
): { active: CommentTree<T>[]; archived: CommentTree<T>[] } {
  const trees: { active: CommentTree<T>[]; archived: CommentTree<T>[] } = { active: [], archived: [] };
  const nodes = new Map<number, { tree: CommentTree<T>; parent: CommentTree<T> | undefined }>();
  // A reply has a higher number than its parent, so in this order a parent's node is made before those of its replies.
  for (const row of [...comments].sort((a, b) => a.local_id - b.local_id)) {
    const repliedTo = row.parent_id === null ? undefined : nodes.get(row.parent_id);
    const parent = repliedTo && repliedTo.tree.depth >= MAX_DEPTH ? repliedTo.parent : repliedTo?.tree;
    nodes.set(row.local_id, {
      tree: { comment: present(row), depth: parent ? parent.depth + 1 : 0, children: [] },
      parent,
    });
  }
  for (const { local_id, archived } of comments) {
    const node = nodes.get(local_id);
    if (node) (node.parent?.children ?? trees[archived ? "archived" : "active"]).push(node.tree);
  }
  return trees;
}
