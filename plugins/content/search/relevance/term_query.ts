/** Queries of the index for a term, in the text form of a tsquery. */
import { IN_HEADING, IN_NAME, quotedWord } from "../item_words.ts";
import type { Alternative, Term } from "./terms.ts";

/** Which words of an entry are matched: all, or those of names or of headings and tags, which the digest marks. */
export type Among = "all" | "names" | "headings";

const MARKERS = { all: "", names: IN_NAME, headings: IN_HEADING } as const;

/** Matches items that have a term. */
export function queryOf({ alternatives, parts }: Term, among: Among = "all"): string {
  const marker = MARKERS[among];
  if (parts.length === 0) return `(${alternatives.map((one) => lexeme(one, marker)).join(" | ")})`;
  const joined = alternatives.map((one) => lexeme(one, marker)).join(" & ");
  const apart = parts.map((word, at) => lexeme({ word, isPrefix: at === parts.length - 1 }, marker)).join(" & ");
  return joined === apart ? `(${joined})` : `(${joined} | ${apart})`;
}

/** Matches items that have all of the terms. */
export function allOf(terms: readonly Term[], among: Among = "all"): string {
  return terms.map((term) => queryOf(term, among)).join(" & ");
}

/** What ranking counts: occurrences of the term itself, and of what else it matches. */
export function ranksOf({ alternatives }: Term): { readonly exact: string; readonly other: string | undefined } {
  const [best] = alternatives;
  const exact = alternatives.filter(({ weight }) => weight === best?.weight);
  const other = alternatives.filter(({ weight }) => weight !== best?.weight);
  const anyOf = (some: readonly Alternative[]) => some.map((one) => lexeme(one, "")).join(" | ");
  return { exact: anyOf(exact), other: other.length > 0 ? anyOf(other) : undefined };
}

function lexeme({ word, isPrefix }: Pick<Alternative, "word" | "isPrefix">, marker: string): string {
  return `${quotedWord(marker + word)}${isPrefix ? ":*" : ""}`;
}
