import { type Input, rules } from "lectern/core";

/** Fields of a new page (content-api 2.4), and ours: the viewer's draft page that it is made of. */
export const createRules = rules({
  book_id: ["required_without:chapter_id", "integer"],
  chapter_id: ["required_without:book_id", "integer"],
  name: ["required", "string", "max:255"],
  html: ["required_without:markdown", "string"],
  markdown: ["required_without:html", "string"],
  tags: ["array"],
  priority: ["integer"],
  draft_id: ["integer"],
});

/** Fields of a change (content-api 2.4), and ours: the revision_count the change starts from. */
export const updateRules = rules({
  book_id: ["integer"],
  chapter_id: ["integer"],
  name: ["string", "min:1", "max:255"],
  html: ["string"],
  markdown: ["string"],
  tags: ["array"],
  priority: ["integer"],
  base_revision: ["integer"],
});

/** A new page as asked for. */
export type PageCreate = Input<typeof createRules>;

/** A change of a page as asked for. */
export type PageUpdate = Input<typeof updateRules>;
