import { type Answers, kindLabels } from "lectern/contracts";
import { html, htmlResponse } from "lectern/core";
import type { ReadingContext } from "./contract.ts";
import type { NamedKind } from "./search.ts";

type Suggestions = Answers["/api/search/suggestions"];
type SuggestedItem = Suggestions["data"][number];

/** Data of the list that the palette and the search box of the header show while somebody types. */
export interface SuggestionsData extends Suggestions {
  /** What was typed; "" for nothing yet. */
  readonly query: string;
  readonly kinds: readonly NamedKind[];
}

/** Items that are suggested at most. */
const COUNT = 8;

/**
 * Mounts the list of suggestions: the options of a listbox in groups, as `palette.js` puts them into the document. Links lose `baseUrl`, so that
 * they stay on the host that the reader uses.
 */
export function mountSuggestions({ baseUrl, app, slot, web }: ReadingContext): void {
  const view = web.view("reading/suggestions", ({ query, kinds, data, people, tags }, ui) => {
    const { t } = ui;
    const group = (id: string, title: string, options: readonly unknown[]) =>
      options.length > 0 &&
      html`<div role="group" aria-labelledby="suggested-${id}"><div class="group" id="suggested-${id}">${title}</div>${options as never}</div>`;
    const option = (path: string, icon: string, name: string, about = "") =>
      html`<a role="option" tabindex="-1" aria-selected="false" href="${path}">${ui.icon(icon)} <span class="told"><bdi>${name}</bdi>${about !== "" && html` <span class="quiet">${about}</span>`}</span></a>`;
    const item = ({ type, name, url, book, chapter }: SuggestedItem) => {
      const kind = kinds.find((each) => each.kind === type);
      const about = [t(kind?.one ?? type), [book?.name, chapter?.name].filter(Boolean).join(" › ")].filter(Boolean);
      const path = url.startsWith(baseUrl) ? ui.url(url.slice(baseUrl.length)) : url;
      return option(path, kind?.icon ?? "page", name, about.join(" · "));
    };
    const search = (text: string) => ui.url(`/search?query=${encodeURIComponent(text)}`);
    return html`${group("items", query === "" ? t("Recently opened") : t("Content"), data.map(item))}${group(
      "people",
      t("People"),
      people.map(({ name, slug }) => option(ui.url(`/user/${slug}`), "user", name)),
    )}${group(
      "tags",
      t("Tags"),
      tags.map(({ name, value }) =>
        value === null || value === ""
          ? option(search(`[${name}]`), "tag", name)
          : option(search(`[${name}=${value}]`), "tag", `${name}: ${value}`),
      ),
    )}`;
  });
  web.screen(app.site, "/search/suggestions", "reader", async (visit) => {
    // The cut may separate a surrogate pair.
    const typed = typeof visit.query.query === "string" ? visit.query.query.trim() : "";
    const query = typed.slice(0, MAX_CHARS).toWellFormed();
    const found = await visit.get(`/api/search/suggestions?query=${encodeURIComponent(query)}&count=${COUNT}`);
    const kinds = slot("content").map(({ kind }) => ({ kind, ...kindLabels(slot("content"), kind) }));
    return htmlResponse(view({ query, kinds, ...found }, visit.ui));
  });
}

/** Characters that are compared with names. */
const MAX_CHARS = 255;
