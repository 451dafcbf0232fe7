/**
 * Mentions: `@` and the slug of a user in the text of a page or comment. Who may be mentioned is asked for the writer, who sees no other users
 * than elsewhere, and for each candidate, who has to see the item.
 */
import { denied, endpoint, type InputObject, sql, trimEndChars, type Viewer } from "lectern/core";
import { rows } from "lectern/db";
import { isPerson, seenItem } from "../_items/listed_items.ts";
import { candidateRules, candidatesSchema, type WatchingContext } from "./contract.ts";
import { about } from "./docs.ts";
import { seeing } from "./readers.ts";

/** Users that one text can mention; a text with more names the first ones. */
const MAX_MENTIONS = 50;
/** Candidates that are answered, and users who are looked at for them. */
const CANDIDATES = 10;
const LOOKED_AT = 200;
const AT_ONCE = 50;

// Not within an address or a longer word.
const MENTION = /(?<![\p{L}\p{N}_@./-])@([\p{L}\p{N}_-]{1,255})/gu;

/**
 * The slugs that a text mentions, in lower case, each once.
 * @example
 * mentionsIn("Ask @ann-lee, or mail ben@example.com."); // ["ann-lee"]
 */
export function mentionsIn(text: string): string[] {
  if (!text.includes("@")) return [];
  const found = new Set<string>();
  for (const [, slug = ""] of text.matchAll(MENTION)) {
    const name = trimEndChars(slug.toLowerCase(), "-");
    if (name !== "") found.add(name);
    if (found.size === MAX_MENTIONS) break;
  }
  return [...found];
}

/**
 * Stored HTML without its code, in which `@` begins no mention. It goes through the tags once: a pattern for whole elements would look for the
 * end of each that has none.
 * @example
 * withoutCode("<p>Ask @ann, not <code>@Override</code>.</p>"); // "<p>Ask @ann, not  </code>.</p>"
 */
export function withoutCode(html: string): string {
  let [kept, from, depth] = ["", 0, 0];
  for (const { 1: end, index } of html.matchAll(/<(\/?)(?:pre|code)\b/gi)) {
    if (end === "" && depth++ === 0) kept += `${html.slice(from, index)} `;
    if (end !== "" && depth > 0 && --depth === 0) from = index;
  }
  return depth === 0 ? kept + html.slice(from) : kept;
}

interface Person {
  readonly id: number;
  readonly name: string;
  readonly slug: string;
}

/** Mounts the route of candidates. */
export function mountMentions(context: WatchingContext): void {
  context.app.get(
    "/mentions/:kind/:id",
    async ({ viewer, params, nestedQuery }) => ({ data: await candidates(context, viewer, params, nestedQuery) }),
    {
      permit: "access-api",
      response: candidatesSchema,
      ...endpoint("mentions", "list", { about: about.candidates, query: candidateRules }),
    },
  );
}

async function candidates(
  context: WatchingContext,
  viewer: Viewer,
  params: { readonly kind: string; readonly id: string },
  query: InputObject,
): Promise<Person[]> {
  const { query: typed = "" } = await context.validate(candidateRules, query, viewer);
  const { type, id } = await seenItem(context, viewer, params);
  if (!isPerson(viewer)) throw denied();
  // Letters that mean something to LIKE stand for themselves.
  const begin = `${typed.replace(/[\\%_]/g, "\\$&")}%`;
  // A template, since the condition of the viewer and a function of the store, which makes patterns of any case and accents, are parts of it.
  const people = await rows<Person>(
    context.db,
    sql`select users.id, users.name, users.slug from users
      where ${context.visible.where("users", viewer)} and users.system_name = ''
        and (users.name_key like text_pattern(${begin}::text) or users.name_key like text_pattern(${`% ${begin}`}::text)
          or users.slug like lower(${begin}::text))
      order by users.name_key, users.id limit ${sql.lit(LOOKED_AT)}`,
  );
  const found: Person[] = [];
  for (let start = 0; start < people.length && found.length < CANDIDATES; start += AT_ONCE) {
    const part = people.slice(start, start + AT_ONCE);
    const readers = await seeing(
      context,
      { kind: type, id },
      part.map((one) => one.id),
    );
    found.push(...part.filter((one) => readers.has(one.id)));
  }
  return found.slice(0, CANDIDATES);
}
