/** What the documentation says about exports, by format; others say what every format has in common. */
export const about: Readonly<Record<string, string>> = {
  html: "Exports as one HTML file that opens without a network: styles and pictures are inside.",
  pdf: "Exports as PDF, each page on a new sheet, with an outline. Answers 501 where no engine for it is installed.",
  plaintext: "Exports as plain text.",
  markdown: "Exports as Markdown: as it was written where it was written so, else converted.",
  zip: "Exports as a portable ZIP file, with attachments and pictures, that this or another instance can import.",
};

/** What is said of every export. */
export const COMMON = "Only what you see is in it. The answer is a file.";

/** What is said of exports that other plugins add. */
export const OTHER = "Exports an item in a format, or of a kind, that a plugin adds.";
