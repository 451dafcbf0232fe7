/**
 * HTML for engines that print (content-api 15.4): addresses in place of frames, everything unfolded, and nothing that an
 * engine would fetch, since it runs inside the operator's network and not all of them obey a document's policy.
 */
export function printable(html: string): string {
  return html
    .replace(/<iframe\b[^>]*?\bsrc="([^"]*)"[^>]*><\/iframe>/g, (_, source: string) => {
      const address = source.replace(/^\/\//, "https://");
      return `<p><a href="${address}">${address}</a></p>`;
    })
    .replace(/<details(?=[\s>])/g, "<details open")
    .replace(/<[a-z][^>]*>/gi, unloading);
}

/** The house writes `>` in attributes as an entity, so a tag ends where it seems to. */
function unloading(tag: string): string {
  return tag.replace(/\s(background|style)=(?:"[^"]*"|'[^']*')/gi, (attribute, name: string) => {
    // An escape may spell any of the words.
    const loads = name.toLowerCase() === "background" || /\\|url|image|@|\bsrc\b/i.test(attribute);
    return loads ? "" : attribute;
  });
}
