/** Splits a command into words as a shell would, with quotes; no shell is run. */
export function splitWords(command: string): string[] {
  return [...command.matchAll(/(?:"([^"]*)"|'([^']*)'|[^\s"']+)+/g)].map(([word]) => word.replace(/["']/g, ""));
}

/** The words with the paths filled in for their placeholders. */
export function fillPlaceholders(words: readonly string[], input: string, output: string): string[] {
  return words.map((word) => word.replaceAll("{input_html_path}", input).replaceAll("{output_pdf_path}", output));
}
