/**
 * The chips of a search: its filters and the typed parts that are no words, each with a link to the search without it; and what narrows it
 * down further, with how many results have it.
 */
import type { Answers, Ui } from "lectern/contracts";
import { type Html, html, writtenDay } from "lectern/core";
import type { NamedKind } from "./search.ts";
import { queryParts } from "./search_parts.ts";
import { isTagTest, type SearchState, searchPath } from "./search_state.ts";

/** What results are in and have, with how many there are. */
export type Facets = NonNullable<Answers["/api/search"]["facets"]>;

/** The names of what filters refer to; undefined for what the reader does not see. */
export interface FilterNames {
  readonly book: string | undefined;
  readonly shelf: string | undefined;
  readonly author: string | undefined;
}

/** A filter, and the search without it. */
interface Chip {
  readonly label: string;
  readonly without: SearchState;
}

/** Choices of a group of facets that are shown. */
const MAX_CHOICES = 12;

/** The filters of a search as links that take them out; nothing where there are none. */
export function chipList(state: SearchState, names: FilterNames, kinds: readonly NamedKind[], ui: Ui): Html {
  const chips = [...filterChips(state, names, kinds, ui), ...typedChips(state, kinds, ui)];
  if (chips.length === 0) return html``;
  return html`<ul class="chips" aria-label="${ui.t("Filters")}">${chips.map(({ label, without }) => {
    const text = ui.t("Remove the filter “:label”", { label });
    return html`<li><a href="${ui.url(searchPath(without))}" aria-label="${text}" title="${text}"><span>${label}</span> <span class="cross" aria-hidden="true">×</span></a></li>`;
  })}</ul>`;
}

function filterChips(state: SearchState, names: FilterNames, kinds: readonly NamedKind[], ui: Ui): Chip[] {
  const { t, language } = ui;
  const { type, book, shelf, tags, author, after, before } = state;
  const types = type === "" ? [] : type.split("|");
  return [
    ...types.map((kind) => ({
      label: t(kinds.find((one) => one.kind === kind)?.many ?? kind),
      without: { ...state, type: types.filter((other) => other !== kind).join("|") },
    })),
    ...(book === undefined
      ? []
      : [{ label: t("Book: :name", { name: names.book ?? book }), without: { ...state, book: undefined } }]),
    ...(shelf === undefined
      ? []
      : [{ label: t("Shelf: :name", { name: names.shelf ?? shelf }), without: { ...state, shelf: undefined } }]),
    ...tags.map((tag) => ({
      label: t("Tag: :name", { name: tag }),
      without: { ...state, tags: tags.filter((other) => other !== tag) },
    })),
    ...(author === ""
      ? []
      : [{ label: t("Created by :name", { name: names.author ?? author }), without: { ...state, author: "" } }]),
    ...(after === ""
      ? []
      : [{ label: t("Changed since :day", { day: writtenDay(after, language) }), without: { ...state, after: "" } }]),
    ...(before === ""
      ? []
      : [
          { label: t("Changed before :day", { day: writtenDay(before, language) }), without: { ...state, before: "" } },
        ]),
  ];
}

/** What was typed in the syntax of queries. */
function typedChips(state: SearchState, kinds: readonly NamedKind[], ui: Ui): Chip[] {
  const { t } = ui;
  return queryParts(state.query).map(({ kind, text, isNegated, rest }) => {
    const called =
      kind === "exact"
        ? t("Exactly “:text”", { text })
        : kind === "tag"
          ? t("Tag: :name", { name: text })
          : typedFilter(text, kinds, ui);
    return { label: isNegated ? t("Without: :part", { part: called }) : called, without: { ...state, query: rest } };
  });
}

/** A typed filter as the chip of the same filter is called; as it was typed where there is no such chip. */
function typedFilter(text: string, kinds: readonly NamedKind[], { t, language }: Ui): string {
  const [, name = "", value = ""] = /^([^:]*):(.*)$/s.exec(text) ?? [];
  const labels = new Map(kinds.map(({ kind, many }) => [kind, t(many)]));
  const types = value.split("|").map((kind) => labels.get(kind.trim()));
  const key = name.trim().toLowerCase();
  if (key === "type" && types.every((label) => label !== undefined)) return types.join(", ");
  if (key === "created_by") return t("Created by :name", { name: value });
  if (key === "updated_after") return t("Changed since :day", { day: writtenDay(value, language) });
  if (key === "updated_before") return t("Changed before :day", { day: writtenDay(value, language) });
  return `{${text}}`;
}

interface Choice {
  readonly label: string;
  readonly count: number;
  readonly to: SearchState;
}

/** What narrows a search down; undefined where nothing does. */
export function facetGroups(
  facets: Facets | undefined,
  state: SearchState,
  kinds: readonly NamedKind[],
  ui: Ui,
): Html | undefined {
  if (!facets) return undefined;
  const { t } = ui;
  const groups: readonly (readonly [title: string, choices: readonly Choice[]])[] = [
    [
      t("Type"),
      facets.types.flatMap(({ value, count }) => {
        const kind = kinds.find((one) => one.kind === value);
        return kind && !state.type.split("|").includes(value)
          ? [{ label: t(kind.many), count, to: { ...state, type: value } }]
          : [];
      }),
    ],
    [
      t("Books"),
      facets.books
        .filter(({ id }) => id !== state.book)
        .map(({ id, name, count }) => ({ label: name, count, to: { ...state, book: id } })),
    ],
    [
      t("Shelves"),
      facets.shelves
        .filter(({ id }) => id !== state.shelf)
        .map(({ id, name, count }) => ({ label: name, count, to: { ...state, shelf: id } })),
    ],
    [
      t("Tags"),
      facets.tags.flatMap(({ name, value, count }) => {
        const test = value === "" ? name : `${name}=${value}`;
        const label = value === "" ? name : `${name}: ${value}`;
        return isTagTest(test) && !state.tags.includes(test)
          ? [{ label, count, to: { ...state, tags: [...state.tags, test] } }]
          : [];
      }),
    ],
    [
      t("Created by"),
      facets.authors
        .filter(({ slug }) => slug !== state.author)
        .map(({ slug, name, count }) => ({ label: name, count, to: { ...state, author: slug } })),
    ],
  ];
  const shown = groups.filter(([, choices]) => choices.length > 0);
  if (shown.length === 0) return undefined;
  return html`<nav class="facets" aria-label="${t("Narrow down")}"><details class="fold"><summary>${t("Narrow down")}</summary>${shown.map(
    ([title, choices]) =>
      html`<h2>${title}</h2><ul>${choices
        .slice(0, MAX_CHOICES)
        .map(
          ({ label, count, to }) =>
            html`<li><a href="${ui.url(searchPath(to))}"><span class="any-words">${label}</span> <span class="quiet">${ui.number(count)}</span></a></li>`,
        )}</ul>`,
  )}</details></nav>`;
}

/** A result of the search, with what the better mode adds. */
export type Found = Answers["/api/search"]["data"][number] & {
  /** Parts of the text around what was found, as HTML. */
  readonly passages?: readonly string[];
  /** Attached files that contain what was searched for. */
  readonly attachments?: readonly {
    readonly id: number;
    readonly name: string;
    readonly url: string;
    readonly passages: readonly string[];
  }[];
};
