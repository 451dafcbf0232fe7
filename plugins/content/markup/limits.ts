/** Maximum depth of elements. Deeper ones lose their tags and keep their text; browsers stop at 512. */
export const maxNesting = 200;

/** Maximum formatting elements (b, i, font, a …) that are open at once; each is repeated in every following block. */
export const maxFormatting = 12;

/** Maximum elements of one document. Tags after that are dropped, their text stays. A 10 MB page has about 220,000. */
export const maxElements = 500_000;

/**
 * Default number of include tags that are resolved in one rendering, in all passes. A page made of snippets has ten or
 * twenty; each may include a whole page.
 */
export const maxIncludes = 100;

/** Default bytes of HTML that are included in one rendering. A long page has 50,000. */
export const maxIncludedBytes = 1_000_000;

/** Maximum notices in place of includes beyond the limits; further includes are replaced by nothing. */
export const maxIncludeNotices = 100;

/** Maximum bytes of one embedded image (content-api 9.5). */
export const maxImageBytes = 50_000_000;

/** Maximum rounds of serialising, parsing and filtering until sanitised HTML is stable. */
export const maxStabilityRounds = 6;

/** Maximum characters of Markdown for a changed converter; longer texts are converted without it. */
export const maxMarkdownChars = 300_000;

/** Maximum depth of lists and quotes for a changed converter, which takes at least quadratic time in the depth. */
export const maxMarkdownNesting = 24;

/** Maximum markers of emphasis, links, code or tags in one paragraph for a changed converter. */
export const maxMarkersPerParagraph = 500;

/** Maximum consecutive lines without a blank line for a changed converter; code and tables count as well. */
export const maxLinesPerParagraph = 1_000;

/** Maximum characters of one line for a changed converter. */
export const maxLineChars = 20_000;

/** Maximum attributes of one element; further ones are dropped. */
export const maxAttributes = 1_000;

/** Default maximum bytes of a page's content, without embedded images. A long page has 50,000. */
export const maxContentBytes = 5_242_880;

/** Default maximum elements of a page's content. A page of a million bytes has about 22,000. */
export const maxContentElements = 200_000;

/** Maximum size of HTML converted from Markdown, as a multiple of the limit of content: references can be used repeatedly. */
export const maxMarkdownGrowth = 4;

/** Default maximum bytes of Markdown for a changed converter. */
export const maxHookedBytes = 100_000;

/** Maximum milliseconds that the server's own process works on HTML, by the estimate of `own_work.ts`: one turn of `inTurn`. */
export const maxOwnMs = 10;

/** Maximum characters of HTML, and of Markdown, that the server's own process handles. */
export const maxOwnHtmlChars = 32_768;

/** Maximum characters of HTML that the server's own process handles where its elements are special, or not closed as opened. */
export const maxOddHtmlChars = 16_384;

/** Maximum tags of the same. */
export const maxOddTags = 1_000;

/** Maximum characters of Markdown for a changed converter in a save that the server's own process handles. */
export const maxOwnHookedChars = 8_192;

/** Maximum lines and markers of the same: most of them become an element. */
export const maxOwnHookedMarks = 1_000;

/** Maximum characters of two texts, together, that the server's own process compares. */
export const maxOwnComparedChars = 2_000;
