/** A comment with the replies to it; roots have depth 0 (content-api 10.5). */
export interface Tree<T> {
  readonly comment: T;
  readonly depth: number;
  readonly children: Tree<T>[];
}

/** What makes a tree of comments. */
interface Linked {
  readonly local_id: number;
  readonly parent_id: number | null;
  readonly archived: boolean;
}

/** Replies below this depth stand beside the comment they reply to: readers of JSON do not nest without end. */
const MAX_DEPTH = 100;

/**
 * The trees of a page's comments, which come in the order they shall have; active and archived ones by what their root
 * is. A reply whose comment is gone is a root.
 */
export function treesOf<Row extends Linked, T>(
  comments: readonly Row[],
  show: (row: Row) => T,
): { active: Tree<T>[]; archived: Tree<T>[] } {
  const trees = { active: [] as Tree<T>[], archived: [] as Tree<T>[] };
  const nodes = new Map<number, { tree: Tree<T>; parent: Tree<T> | undefined }>();
  // A reply counts higher than what it replies to, so its parent is always there first.
  for (const row of [...comments].sort((a, b) => a.local_id - b.local_id)) {
    const above = row.parent_id === null ? undefined : nodes.get(row.parent_id);
    const parent = above && above.tree.depth >= MAX_DEPTH ? above.parent : above?.tree;
    nodes.set(row.local_id, {
      tree: { comment: show(row), depth: parent ? parent.depth + 1 : 0, children: [] },
      parent,
    });
  }
  for (const { local_id, archived } of comments) {
    const node = nodes.get(local_id);
    if (node) (node.parent?.children ?? trees[archived ? "archived" : "active"]).push(node.tree);
  }
  return trees;
}
