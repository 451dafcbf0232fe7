/**
 * The collisions of a merge and what a writer chooses of each. A collision is named by a digest of its texts, so that a choice is
 * found again after another merge where the same texts collide, and is asked for anew where they do not.
 */
import { createHash } from "node:crypto";
import type { Answers } from "lectern/contracts";
import { type InputObject, isUpload } from "lectern/core";
import type { Source } from "./editor.ts";
import type { NamedTag } from "./fields.ts";

/** A merge as the API answers it. */
export type Merge = Answers[`POST /api/pages/${number}/merge`];

/** What stays of a collision; of both, the text of the others comes first. */
export type Choice = "mine" | "theirs" | "both";

/** What two writers changed differently. Texts of content and name are lists of one; of a tag the lists are its values. */
export interface Collision {
  readonly key: string;
  readonly kind: "name" | "text" | "tag";
  /** The name of the tag; "" for the others. */
  readonly tag: string;
  readonly base: readonly string[];
  readonly mine: readonly string[];
  readonly theirs: readonly string[];
}

/** A merged page. */
export interface MergedPage {
  readonly name: string;
  readonly source: Source;
  readonly content: string;
  readonly tags: readonly NamedTag[];
}

/** The most collisions of the text that are asked for one by one; with more of them, it collides as a whole. */
const MAX_COLLISIONS = 100;
const KEY_LENGTH = 16;
/** A line that continues a list or table, or begins a block without an empty line before it. */
const CONTINUES = /^\s*(?:[-*+]|\d{1,9}[.)])\s|^\s*\||^#{1,6}\s/;

/** The collisions of a merge: that of the name, those of the text in order, those of tags. */
export function collisionsOf(merge: Merge): Collision[] {
  const found: Collision[] = [];
  settle(merge, (collision) => {
    found.push(collision);
    return "mine";
  });
  return found;
}

/** The page of a merge and the choices; undefined where one is missing. */
export function settled(merge: Merge, choices: ReadonlyMap<string, Choice>): MergedPage | undefined {
  let isComplete = true;
  const page = settle(merge, ({ key }) => {
    const choice = choices.get(key);
    if (choice === undefined) isComplete = false;
    return choice ?? "mine";
  });
  return isComplete ? page : undefined;
}

/** The choices of a form, by the keys of collisions. */
export function choicesIn({ choice }: InputObject): ReadonlyMap<string, Choice> {
  if (typeof choice !== "object" || choice === null || isUpload(choice)) return new Map();
  return new Map(
    Object.entries(choice).flatMap(([key, value]) =>
      value === "mine" || value === "theirs" || value === "both" ? [[key, value] as const] : [],
    ),
  );
}

/** The same merge, with one collision of the whole text in place of very many. */
export function withFewCollisions(merge: Merge): Merge {
  if (merge.parts.filter((part) => "mine" in part).length <= MAX_COLLISIONS) return merge;
  const whole = (side: "base" | "mine" | "theirs") =>
    merge.parts.map((part) => ("text" in part ? part.text : part[side])).join("");
  return { ...merge, parts: [{ base: whole("base"), mine: whole("mine"), theirs: whole("theirs") }] };
}

function settle(merge: Merge, decide: (collision: Collision) => Choice): MergedPage {
  const seen = new Map<string, number>();
  const chosen = (collision: Omit<Collision, "key">): readonly string[] => {
    const digest = createHash("sha256").update(JSON.stringify(collision)).digest("hex").slice(0, KEY_LENGTH);
    // The same texts may collide in several places.
    const count = (seen.get(digest) ?? 0) + 1;
    seen.set(digest, count);
    const choice = decide({ ...collision, key: `${digest}-${count}` });
    if (choice !== "both") return collision[choice];
    return [...new Set([...collision.theirs, ...collision.mine])];
  };
  const { format, parts, name = { text: "" }, tags = [] } = merge;
  const textOf = (part: Merge["parts"][number], kind: "name" | "text") =>
    "text" in part
      ? [part.text]
      : chosen({ kind, tag: "", base: [part.base], mine: [part.mine], theirs: [part.theirs] });
  const join = format === "html" ? (texts: readonly string[]) => texts.join("") : joinedMarkdown;
  return {
    name: textOf(name, "name")[0] ?? "",
    source: format,
    content: parts.map((part) => join(textOf(part, "text"))).join(""),
    tags: tags.flatMap((tag) => {
      const values =
        "values" in tag
          ? tag.values
          : chosen({ kind: "tag", tag: tag.name, base: tag.base, mine: tag.mine, theirs: tag.theirs });
      return values.map((value) => ({ name: tag.name, value }));
    }),
  };
}

/** Markdown one after another, as blocks of their own. */
function joinedMarkdown(texts: readonly string[]): string {
  return texts
    .filter((text) => text !== "")
    .reduce((before, text) => {
      if (before === "" || before.endsWith("\n\n") || (before.endsWith("\n") && CONTINUES.test(text)))
        return before + text;
      return `${before.trimEnd()}\n\n${text}`;
    }, "");
}
