/** A command's words, as a shell would split them; quotes keep blanks. No shell is involved. */
export function wordsOf(command: string): string[] {
  return [...command.matchAll(/(?:"([^"]*)"|'([^']*)'|[^\s"']+)+/g)].map(([word]) => word.replace(/["']/g, ""));
}

/** The words with paths in their places. */
export function filledIn(words: readonly string[], input: string, output: string): string[] {
  return words.map((word) => word.replaceAll("{input_html_path}", input).replaceAll("{output_pdf_path}", output));
}
