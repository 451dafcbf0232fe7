const ADDRESSES_AND_TAGS = /\]\([^()\n]*\)|<[^<>]*>|https?:\/\/\S+/g;

/** How many words a source has, without its tags and the addresses of its links; by the rules of Unicode, so also in Chinese. */
export function wordCount(source: string): string {
  let count = 0;
  for (const { isWordLike } of new Intl.Segmenter(undefined, { granularity: "word" }).segment(
    source.replace(ADDRESSES_AND_TAGS, " "),
  ))
    if (isWordLike) count++;
  return new Intl.NumberFormat(undefined).format(count);
}
