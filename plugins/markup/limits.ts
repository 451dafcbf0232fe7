/** Elements nested deeper than this lose their tags and keep their text; browsers stop at 512. */
export const maxNesting = 200;

/** Formatting elements (b, i, font, a …) open at once; each is repeated in every block that follows. */
export const maxFormatting = 12;

/** Elements made from one document; tags after that are dropped, their text stays. A 10 MB page has about 220,000. */
export const maxElements = 500_000;

/** Include tags resolved in one rendering, all passes together; those beyond become nothing. */
export const maxIncludes = 1_000;

/** Characters of HTML brought in by includes in one rendering; what would exceed this becomes nothing. */
export const maxIncludedChars = 10_000_000;

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
