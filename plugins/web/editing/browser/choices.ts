/** What the menu of a slash offers in each editor, in its order. How each is inserted is for the editors to say. */
import type { Texts } from "./screen.ts";

/** The names of the choices. */
export const CHOICES = [
  ...(["h1", "h2", "h3", "h4", "bullet", "ordered", "task", "table", "code", "quote"] as const),
  ...(["info", "success", "warning", "danger", "details", "rule", "picture", "date"] as const),
] as const;

/** The name of a choice. */
export type ChoiceName = (typeof CHOICES)[number];

/** The text of a choice. */
export function choiceText(name: ChoiceName, texts: Texts): string {
  return texts[`block-${name}`] ?? texts[name] ?? name;
}

/** Today in the language of the screen. */
export function today(): string {
  const language = Document.prototype.querySelector.call(document, "html")?.getAttribute("lang") ?? undefined;
  return new Intl.DateTimeFormat(language, { dateStyle: "long" }).format(new Date());
}

const folded = (text: string) => text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();

/** Those of a list whose text has what was typed, without regard to case and accents. */
export function matching<Choice extends { readonly text: string }>(all: readonly Choice[], typed: string): Choice[] {
  return all.filter(({ text }) => folded(text).includes(folded(typed)));
}
