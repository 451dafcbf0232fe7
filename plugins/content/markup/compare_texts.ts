import { diffLines, diffWordsWithSpace } from "diff";
import type { Comparison } from "lectern/contracts";

/** Longest texts together that are compared, in characters. */
const MAX_LENGTH = 400_000;
/** Limits of comparing lines, and then words, in milliseconds; the time can grow quadratically. */
const LINES_MS = 200;
const WORDS_MS = 200;

type Part = Exclude<Comparison, "long">[number];

/** Compares two texts by line, and changed lines by word. Takes up to half a second; "long" for texts beyond its limits. */
export function compareTexts(before: string, after: string): Comparison {
  if (before.length + after.length > MAX_LENGTH) return "long";
  const lines = diffLines(before, after, { timeout: LINES_MS });
  if (!lines) return "long";
  const ends = performance.now() + WORDS_MS;
  const parts: Part[] = [];
  for (let at = 0; at < lines.length; at++) {
    const [line, next] = lines.slice(at, at + 2);
    if (!line) break;
    const isPair = line.removed && next?.added;
    const timeout = ends - performance.now();
    const words = isPair && timeout > 0 ? diffWordsWithSpace(line.value, next.value, { timeout }) : undefined;
    if (words) at++;
    for (const { value, added, removed } of words ?? [line])
      parts.push({ value, ...(added && { added }), ...(removed && { removed }) });
  }
  return parts;
}
