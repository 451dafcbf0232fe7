/**
 * Converts Markdown with the converter built into Bun, whose time is linear, and brings its output into the form of
 * content-api 9.6. What the text itself holds as raw HTML is not told apart from what the converter wrote, so a
 * correction is left out where the text has such tags of its own: the result then differs in form, never in meaning.
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

/** A task whose text follows the bracket without a space. */
function tightTask(_all: string, open: string | undefined, mark: string): string {
  return `<li class="task-list-item">${open ?? ""}<input ${mark === " " ? "" : "checked "}disabled type="checkbox">`;
}
