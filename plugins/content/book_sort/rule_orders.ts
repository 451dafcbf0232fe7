import type { QueryCreator } from "kysely";
import { type RawBuilder, sql } from "lectern/core";
import type { Tables } from "lectern/db";
import type { Child } from "./arrange.ts";
import { SORT_RULES, type SortRule } from "./contract.ts";

// Numbers in names are in the order of the numbers: their digits, which keys have as a to j, are filled up to 20.
const PADDED = sql`regexp_replace(regexp_replace(name_key, '([a-j]+)', ${sql.lit("a".repeat(20))} || '\\1', 'g'),
  '[a-j]*([a-j]{20})', '\\1', 'g')`;

/** SQL of the order of each rule, over the columns that chapters and pages have in common. */
export const ORDERS: Readonly<Record<SortRule, ReturnType<typeof sql>>> = {
  name: sql`${PADDED}`,
  "-name": sql`${PADDED} desc`,
  created: sql`created_at`,
  "-created": sql`created_at desc`,
  "-updated": sql`updated_at desc`,
};

/** What a viewer sees of each kind. */
export interface SeenKinds {
  readonly chapters: RawBuilder<boolean>;
  readonly pages: RawBuilder<boolean>;
}

const ALL: SeenKinds = { chapters: sql<boolean>`true`, pages: sql<boolean>`true` };

/** The present chapters and pages of books, with the columns that rules sort by and that permissions depend on. */
export function presentOf(db: QueryCreator<Tables>, bookIds: readonly number[], seen: SeenKinds = ALL) {
  return db
    .selectFrom("chapters")
    .select([sql<Child["type"]>`'chapter'`.as("type"), sql<number | null>`null::integer`.as("chapter_id")])
    .select(["id", "book_id", "priority", "name", "name_key", "created_at", "updated_at", "acl_id", "owned_by"])
    .where("book_id", "=", sql<number>`any(${bookIds}::integer[])`)
    .where("deleted_at", "is", null)
    .where(seen.chapters)
    .unionAll(
      db
        .selectFrom("pages")
        .select([sql<Child["type"]>`'page'`.as("type"), "chapter_id"])
        .select(["id", "book_id", "priority", "name", "name_key", "created_at", "updated_at", "acl_id", "owned_by"])
        .where("book_id", "=", sql<number>`any(${bookIds}::integer[])`)
        .where("deleted_at", "is", null)
        .where((page) => page.not(page.ref("draft")))
        .where(seen.pages),
    );
}

/** Something for each rule, such as a statement. */
export function ofRules<Made>(make: (rule: SortRule) => Made): Readonly<Record<SortRule, Made>> {
  // The keys are all rules.
  return Object.fromEntries(SORT_RULES.map((rule) => [rule, make(rule)])) as Record<SortRule, Made>;
}
