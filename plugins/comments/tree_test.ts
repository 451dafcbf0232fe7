import { expect, test } from "bun:test";
import { type CommentNode, DEEPEST, type Told, treesOf } from "./tree.ts";

const NOW = "2026-01-06T08:00:00.000000Z";

function told(local_id: number, parent_id: number | null = null, archived = false): Told {
  const people = { created_by: 2, updated_by: 3, author: { id: 2, name: "Bo", slug: "bo" } };
  const times = { created_at: NOW, updated_at: NOW };
  return {
    id: 50 + local_id,
    page_id: 12,
    local_id,
    parent_id,
    html: "",
    content_ref: "",
    archived,
    ...people,
    ...times,
  };
}

/** Numbers and depths, replies in brackets behind what they answer. */
function outline(nodes: readonly CommentNode[]): unknown[] {
  return nodes.map(({ comment, depth, children }) =>
    children.length > 0 ? [comment.local_id, depth, outline(children)] : [comment.local_id, depth],
  );
}

test("a page without comments has two empty lists", () => expect(treesOf([])).toEqual({ active: [], archived: [] }));

test("replies lie below what they answer, each level in the order given", () => {
  const { active } = treesOf([told(1), told(2, 1), told(3), told(4, 2), told(5, 1)]);
  expect(outline(active)).toEqual([
    [
      1,
      0,
      [
        [2, 1, [[4, 2]]],
        [5, 1],
      ],
    ],
    [3, 0],
  ]);
});

test("the author is told in full, who changed it by number, and nothing of the row besides", () => {
  const [node] = treesOf([told(1)]).active;
  expect(node?.comment).toEqual({
    id: 51,
    commentable_id: 12,
    commentable_type: "page",
    html: "",
    parent_id: null,
    local_id: 1,
    created_by: { id: 2, name: "Bo", slug: "bo" },
    updated_by: 3,
    created_at: NOW,
    updated_at: NOW,
    content_ref: "",
    archived: false,
  });
});

test("a tree is archived with its root alone", () => {
  const { active, archived } = treesOf([told(1, null, true), told(2, 1), told(3), told(4, 3, true)]);
  expect([outline(active), outline(archived)]).toEqual([[[3, 0, [[4, 1]]]], [[1, 0, [[2, 1]]]]]);
});

test("replies to a comment that is gone stand at the top, with their own replies", () =>
  expect(outline(treesOf([told(2, 1), told(3, 2)]).active)).toEqual([[2, 0, [[3, 1]]]]));

test("replies that come before what they answer find it", () =>
  expect(outline(treesOf([told(2, 1), told(1)]).active)).toEqual([[1, 0, [[2, 1]]]]));

test("no chain of replies is so long that it cannot be sent; all of it is there", () => {
  const length = DEEPEST * 10;
  const trees = treesOf(Array.from({ length }, (_, at) => told(at + 1, at === 0 ? null : at)));
  expect(JSON.stringify(trees).match(/"local_id"/g)).toHaveLength(length);
  expect(JSON.stringify(trees)).toContain(`"depth":${DEEPEST}`);
});
