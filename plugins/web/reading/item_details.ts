import type { Tag, Ui } from "lectern/contracts";
import { type Html, type HtmlPart, html } from "lectern/core";
import type { Item } from "./api_types.ts";
import { tagIndexPath, tagSearchPath } from "./tag_paths.ts";

/** Tags, each a link to the search for it, behind one to the values of its name. */
export function tagList(tags: readonly Tag[] | undefined, ui: Ui): Html {
  if (!tags || tags.length === 0) return html``;
  const index = ({ name }: Tag) => {
    const label = ui.t("All values of the tag “:name”", { name });
    return html`<a class="icon-link" href="${ui.url(tagIndexPath(name))}" aria-label="${label}" title="${label}">${ui.icon("tag")}</a>`;
  };
  return html`<ul class="tags" aria-label="${ui.t("Tags")}">${tags.map(
    (tag) =>
      html`<li>${index(tag)}<a href="${ui.url(tagSearchPath(tag.name, tag.value === "" ? undefined : tag.value))}">${tag.name}${tag.value !== "" && html`: <span>${tag.value}</span>`}</a></li>`,
  )}</ul>`;
}

/** A translated text with markup in its places. */
export function textWithMarkup(ui: Ui, text: string, places: Readonly<Record<string, HtmlPart>>): Html {
  // Control characters mark the places, as no text contains them.
  const marks = Object.fromEntries(Object.keys(places).map((name) => [name, `\u0001${name}\u0001`]));
  const parts = ui.t(text, marks).split("\u0001");
  return html`${parts.map((part, index) => (index % 2 === 1 ? places[part] : part))}`;
}

/** Who created and last changed an item, and when. */
export function history(item: Item, ui: Ui): Html {
  const who = (user: Item["created_by"]) =>
    user ? html`<a href="${ui.url(`/user/${encodeURIComponent(user.slug)}`)}">${user.name}</a>` : ui.t("Unknown user");
  const created = { when: ui.time(item.created_at), who: who(item.created_by) };
  const changed = { when: ui.time(item.updated_at), who: who(item.updated_by) };
  return html`<p class="quiet history">${ui.icon("history")} ${textWithMarkup(ui, "Created :when by :who", created)} · ${textWithMarkup(ui, "Changed :when by :who", changed)}</p>`;
}

/** The description of an item, as HTML of the API. */
export function description({ description_html, description: text }: Item, ui: Ui): Html {
  if (description_html === undefined || (text ?? "") === "") return html``;
  return html`<div class="description page-content">${ui.raw(description_html)}</div>`;
}
