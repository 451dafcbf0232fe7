/** Descriptions of the export endpoints, by format. */
export const about: Readonly<Record<string, string>> = {
  html: "Exports as one self-contained HTML file: styles and images are embedded, so that it opens offline.",
  pdf: "Exports as PDF, with an outline, and each page on a new sheet. Answers 501 where no PDF engine is installed.",
  plaintext: "Exports as plain text.",
  markdown: "Exports as Markdown: the source of what was written in Markdown, the rest converted from HTML.",
  zip: "Exports as a portable ZIP file with attachments and images, which this or another instance can import.",
};

/** Added to the description of every export endpoint. */
export const COMMON = "It contains only what you may see. The response is a file.";

/** The description of exports whose kind or format other plugins add. */
export const OTHER = "Exports an item whose kind or format is added by a plugin.";

/** The description of the conversion of HTML. */
export const CONVERSION =
  "Converts HTML to Markdown, as an editor needs it: like the export, but simple tables become tables of Markdown. Nothing is stored.";
