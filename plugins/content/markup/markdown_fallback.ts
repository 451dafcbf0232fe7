/**
 * Converts Markdown with the converter built into Bun, which takes linear time, and changes its output to the format of
 * content-api 9.6. Raw HTML of the text cannot be distinguished from the converter's output, so a change is skipped if the
 * text contains such tags: the result then differs in format only.
 */
export function toHtmlLinear(markdown: string): string {
  let html = Bun.markdown.html(markdown);
  html = html.replace(
    /<input type="checkbox" class="task-list-item-checkbox" disabled( checked)?>(\n<p>)?/g,
    (_all, checked: string | undefined, open = "") =>
      `${open}<input ${checked ? "checked " : ""}disabled type="checkbox"> `,
  );
  if (!/<li\b/i.test(markdown)) html = html.replace(/<li>(\n<p>)?\[([ xX])\](?=[^\s([:])/g, tightTask);
  if (!/<\/?del\b/i.test(markdown)) html = html.replace(/<(\/?)del>/g, "<$1s>");
  if (/<\/?t[rdh]\b/i.test(markdown)) return html;
  return html.replace(/<tr>(?=<t[hd])/g, "<tr>\n").replace(/<\/t[hd]>(?=<)/g, "$&\n");
}

/** A task item whose text follows the bracket without a space. */
function tightTask(_all: string, open: string | undefined, mark: string): string {
  return `<li class="task-list-item">${open ?? ""}<input ${mark === " " ? "" : "checked "}disabled type="checkbox">`;
}
