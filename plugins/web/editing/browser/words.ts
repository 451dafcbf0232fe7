const ADDRESSES_AND_TAGS = /\]\([^()\n]*\)|<[^<>]*>|https?:\/\/\S+/g;

/** How many words a text has; by the rules of Unicode, so also in Chinese. */
export function wordsIn(text: string, language?: string): number {
  let count = 0;
  for (const { isWordLike } of new Intl.Segmenter(language, { granularity: "word" }).segment(text))
    if (isWordLike) count++;
  return count;
}

/** How many words a source has, without its tags and the addresses of its links; by the rules of Unicode, so also in Chinese. */
export function wordCount(source: string): string {
  const count = wordsIn(source.replace(ADDRESSES_AND_TAGS, " "));
  return new Intl.NumberFormat(undefined).format(count);
}
