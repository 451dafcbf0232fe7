import { idSchema, nullable, type Static, t, timestampSchema } from "lectern/core";
import { itemRefSchema } from "../_items/answers.ts";

const suggestedItem = t.Object(
  {
    type: t.String(),
    id: idSchema,
    name: t.String(),
    slug: t.String(),
    url: t.String(),
    viewed_at: nullable(timestampSchema),
    book: t.Optional(itemRefSchema),
    chapter: t.Optional(itemRefSchema),
  },
  { $id: "SuggestedItem" },
);

/** What may be meant by what somebody has typed: items in `data`, people, and tags; `value` is null for the name of a tag alone. */
export const suggestionsSchema = t.Object(
  {
    data: t.Array(suggestedItem),
    people: t.Array(t.Object({ id: idSchema, name: t.String(), slug: t.String() }, { $id: "SuggestedPerson" })),
    tags: t.Array(t.Object({ name: t.String(), value: nullable(t.String()) }, { $id: "SuggestedTag" })),
  },
  { $id: "Suggestions" },
);

/** The answer of `GET /api/search/suggestions`. */
export type Suggestions = Static<typeof suggestionsSchema>;

declare module "lectern/contracts" {
  interface Answers {
    "/api/search/suggestions": Suggestions;
  }
}
