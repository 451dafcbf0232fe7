/** Elements nested deeper than this lose their tags and keep their text; browsers stop at 512. */
export const maxNesting = 200;

/** Formatting elements (b, i, font, a …) open at once; each is repeated in every block that follows. */
export const maxFormatting = 12;

/** Elements made from one document; tags after that are dropped, their text stays. A 10 MB page has about 220,000. */
export const maxElements = 500_000;

/**
 * Include tags resolved in one rendering unless an operator says otherwise, all passes together. A page of snippets,
 * versions or common steps names some ten or twenty; each may be a whole page.
 */
export const maxIncludes = 100;

/** Bytes of HTML brought in by includes in one rendering unless an operator says otherwise; a long page has 50,000. */
export const maxIncludedBytes = 1_000_000;

/** Notices in place of includes that were left out; where there are more of them, the others become nothing. */
export const maxIncludeNotices = 100;

/** Bytes of one embedded picture (content-api 9.5). */
export const maxImageBytes = 50_000_000;

/** Rounds of serialising and parsing again that filtered HTML gets to come to rest. */
export const maxSettling = 6;

/** Characters of Markdown given to the main converter; longer texts take the linear one. */
export const maxMarkdownChars = 300_000;

/** Depth of lists and quotes given to the main converter, whose time grows with the square of it or worse. */
export const maxMarkdownNesting = 24;

/** Markers of emphasis, links, code or tags within one paragraph given to the main converter. */
export const maxMarkersPerParagraph = 500;

/** Lines without a blank one between them given to the main converter; code and tables count as well. */
export const maxLinesPerParagraph = 1_000;

/** Characters of one line given to the main converter. */
export const maxLineChars = 20_000;

/** Attributes of one element; those after them are dropped. */
export const maxAttributes = 1_000;

/** Bytes of a page's content unless an operator says otherwise, embedded pictures aside. A long page has 50,000. */
export const maxContentBytes = 5_242_880;

/** Elements of a page's content unless an operator says otherwise. A page of a million bytes has about 22,000. */
export const maxContentElements = 200_000;

/** How many times as large as the limit of content HTML may be that is made of Markdown: references can be used again and again. */
export const maxMarkdownGrowth = 4;

/** Bytes of Markdown that are converted where somebody changes the converter, unless an operator says otherwise. */
export const maxHookedBytes = 100_000;

/** Characters of HTML up to which the server's own process works on it: a few milliseconds. */
export const maxOwnHtmlChars = 16_384;

/** Tags of HTML up to which it does: building a tree of more takes longer than their characters let one expect. */
export const maxOwnTags = 1_000;

/** Lines and marks of Markdown up to which it does: most of them make an element each. */
export const maxOwnMarks = 1_000;

/** Characters of Markdown up to which it does. */
export const maxOwnMarkdownChars = 8_192;
