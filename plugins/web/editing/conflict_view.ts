/**
 * What the editor says of changes of others: the notice while one writes, the comparison with a draft of another window, and the
 * screen that asks what stays of texts that collide. It works without scripts; `public/conflict.js` keeps the notice up to date.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Screen, Ui, Visit, Web } from "lectern/contracts";
import { type Html, html } from "lectern/core";
import type { SavedPlace, SubmittedPage } from "./conflict.ts";
import type { Choice, Collision, Merge } from "./conflict_choices.ts";
import type { EditingContext } from "./contract.ts";
import { changesPath, type DraftNews, type NewerPage } from "./draft_news.ts";
import type { EditorData, Source } from "./editor.ts";
import { previewOf } from "./editor_input.ts";

const STYLE = readFileSync(join(import.meta.dir, "public/conflict.css"), "utf8");
/** The most collisions that are shown rendered; of more the source is. */
const MAX_RENDERED = 20;

/** What the conflict screen asks. */
export interface ConflictQuestion extends SavedPlace {
  readonly sent: SubmittedPage;
  readonly merge: Merge;
  readonly collisions: readonly Collision[];
  readonly choices: ReadonlyMap<string, Choice>;
  /** What is wrong with the choices. */
  readonly message?: string | undefined;
  /** Whether the writer's text is stored as a draft. */
  readonly isKept: boolean;
  readonly news: DraftNews;
  /** The names of those who have saved since; "" where the user has, in another window. */
  readonly names: string;
}

/** Data of the conflict screen. */
export interface ConflictData extends ConflictQuestion {
  /** The page that others have saved, beside the writer's. */
  readonly whole: ShownChange;
  /** By the keys of collisions: what each side has changed. */
  readonly shown: ReadonlyMap<string, Readonly<Record<"mine" | "theirs", ShownChange>>>;
  /** Further fields of the form of the editor, which themes add; they are sent along. */
  readonly carried: readonly (readonly [name: string, value: string])[];
  /** Whether others have saved again since the screen was shown. */
  readonly isAgain: boolean;
}

/** A change: of the source, and as it is shown; undefined where it is not rendered. */
interface ShownChange {
  readonly source: Html;
  readonly rendered: Html | undefined;
}

/** Registers the view of the conflict screen; the result draws the screen. */
export function conflictView({
  web,
  markup,
  scripts,
}: EditingContext): (visit: Visit, question: ConflictQuestion) => Promise<Screen> {
  const view = web.view("editing/conflict", (data, ui) => drawConflict(web, data, ui));
  return async (visit, question) => {
    const { merge, collisions, sent, page } = question;
    const { ui, viewer } = visit;
    const styles: string[] = [];
    const rendered = async (source: Source, before: string, after: string): Promise<Html | undefined> => {
      const asHtml = async (text: string) =>
        source === "html" ? text : ((await previewOf(visit, source, text)) ?? "");
      const [start, end] = source === "html" ? wrapperOf(before || after) : ["", ""];
      const whole = async (text: string) => `${start}${await asHtml(text)}${end}`;
      const changed = await markup.compareHtml(await whole(before), await whole(after), { viewer });
      if (changed === undefined) return undefined;
      const { html: decorated, style } = await web.decorate(ui, changed);
      styles.push(style ?? "");
      return html`<div class="page-content framed shown-changes" dir="auto">${ui.raw(decorated)}</div>`;
    };
    const change = async (
      source: Source,
      before: string,
      after: string,
      isRendered: boolean,
    ): Promise<ShownChange> => ({
      source: web.parts.difference(ui, before, after, await markup.compare(before, after, { viewer })),
      rendered: isRendered ? await rendered(source, before, after) : undefined,
    });
    const shown = new Map<string, Record<"mine" | "theirs", ShownChange>>();
    for (const { key, kind, base, ...sides } of collisions) {
      const isRendered = kind === "text" && collisions.length <= MAX_RENDERED;
      const of = (side: "mine" | "theirs") => change(merge.format, base.join(", "), sides[side].join(", "), isRendered);
      shown.set(key, { mine: await of("mine"), theirs: await of("theirs") });
    }
    const isHtml = merge.format === "html";
    const mine =
      isHtml && sent.source !== "html" ? ((await previewOf(visit, sent.source, sent.content)) ?? "") : sent.content;
    const whole = await change(merge.format, isHtml ? page.raw_html : page.markdown, mine, true);
    const seen = visit.text("seen");
    const isAgain = seen !== "" && seen !== String(merge.revision_count);
    return {
      title: ui.t("Two changes of “:name”", { name: page.name }),
      body: view({ ...question, whole, shown, carried: carriedIn(visit), isAgain }, ui),
      menu: "/books",
      status: 409,
      scripts: [scripts.conflict],
      style: `${styles.join("")}${STYLE}`,
    };
  };
}

/** The elements around items and rows that are shown alone, by their tags. */
const WRAPPERS: ReadonlyMap<string, readonly [start: string, end: string]> = new Map([
  ["li", ["<ul>", "</ul>"]],
  ["dt", ["<dl>", "</dl>"]],
  ["dd", ["<dl>", "</dl>"]],
  ["tr", ["<table><tbody>", "</tbody></table>"]],
  ["thead", ["<table>", "</table>"]],
  ["tbody", ["<table>", "</table>"]],
  ["tfoot", ["<table>", "</table>"]],
]);

function wrapperOf(html: string): readonly [start: string, end: string] {
  const [, tag = ""] = /^\s*<([a-z]+)/i.exec(html) ?? [];
  return WRAPPERS.get(tag.toLowerCase()) ?? ["", ""];
}

/** The fields that the form of this screen has itself, or its buttons. */
const OWN_FIELDS = new Set(
  "about act base_revision base_tags content format kept_at name seen source written".split(" "),
);

function carriedIn({ input }: Visit): ConflictData["carried"] {
  return Object.entries(input).flatMap(([name, value]) =>
    typeof value === "string" && value !== "" && !OWN_FIELDS.has(name) ? [[name, value] as const] : [],
  );
}

function drawConflict(web: Web, data: ConflictData, ui: Ui): Html {
  const { t } = ui;
  const { book, page, sent, merge, collisions, message, names, whole, isAgain, news } = data;
  const { name, source, content, tags, keptAt, base, baseTags } = sent;
  const path = `/books/${encodeURIComponent(book.slug)}/page/${encodeURIComponent(page.slug)}`;
  const isOwn = names === "" && news.newer?.own === true;
  const texts = collisions.filter(({ kind }) => kind === "text").length;
  const hidden = (field: string, value: string) => html`<input type="hidden" name="${field}" value="${value}">`;
  let number = 0;
  return html`<h1>${t("Two changes of “:name”", { name: page.name })}</h1>
<p>${
    isOwn
      ? t("You saved this page in another window after this text was begun.")
      : t(":name saved this page after you began to write.", { name: names || t("Unknown user") })
  } ${news.newer && ui.time(news.newer.at)} <a href="${ui.url(changesPath(page.id, base))}" target="_blank" rel="noopener">${t("Show what changed")}<span class="unseen"> ${t("(in a new tab)")}</span></a></p>
${isAgain && web.parts.notice(ui, "note", t("The page was saved once more. Your choices are kept where they still fit."))}
${message !== undefined && html`<p class="notice bad" role="alert">${ui.icon("warning")} ${message}</p>`}
${
  merge.format !== source &&
  web.parts.notice(ui, "note", t("One of the texts is Markdown and the other one HTML: the merged page is HTML."))
}
<p>${
    collisions.length > 0
      ? t(
          "What only one of you changed is taken. Choose what stays where both changed the same. Your text is kept as a draft.",
        )
      : t("Nothing collides: both changes are taken.")
  }</p>
<form method="post" enctype="multipart/form-data" class="conflict"${data.isKept && html` data-kept`} action="${ui.url(`${path}/edit`)}">
${hidden("about", `page/${page.id}`)}${hidden("name", name)}${hidden("source", source)}${hidden("content", content)}
${tags.map((tag, at) => html`${hidden(`tags[${at}][name]`, tag.name)}${hidden(`tags[${at}][value]`, tag.value)}`)}
${hidden("kept_at", keptAt)}${hidden("base_revision", base === undefined ? "" : String(base))}${baseTagsField(baseTags)}
${data.carried.map(([field, value]) => hidden(field, value))}${hidden("seen", String(merge.revision_count))}${hidden("format", merge.format)}
${collisions.map((collision) => {
  if (collision.kind === "text") number += 1;
  const legend = {
    name: t("Name"),
    text: t("Passage :number of :count", { number, count: texts }),
    tag: t("Tag “:name”", { name: collision.tag }),
  }[collision.kind];
  return drawCollision(data, collision, { legend, isOwn }, ui);
})}
<div class="ends"><button name="act" value="resolve">${t("Save")}</button>
<button name="act" value="settle" class="secondary">${t("Edit the merged text")}</button>
<button name="act" value="preview" class="secondary outline" formnovalidate>${t("Back to my text")}</button></div></form>
<details class="conflict-whole"><summary>${t("Their whole page beside yours")}</summary>
<div class="comparison"><section><h2>${t("Page")}</h2>${whole.rendered ?? html`<p>${t("The texts are too long to compare.")}</p>`}</section>
<section><h2>${t("Source")}</h2>${whole.source}</section></div></details>`;
}

function drawCollision(
  { choices, shown, names }: ConflictData,
  { key, kind, mine, theirs }: Collision,
  { legend, isOwn }: { readonly legend: string; readonly isOwn: boolean },
  ui: Ui,
): Html {
  const { t } = ui;
  const radio = (choice: Choice, label: string) =>
    html`<label class="collision-choice"><input type="radio" name="choice[${key}]" value="${choice}" required${choices.get(key) === choice && html` checked`}> ${label}</label>`;
  const side = (choice: "mine" | "theirs", label: string, texts: readonly string[]) => {
    const change = shown.get(key)?.[choice];
    const isGone = texts.join("") === "" && kind !== "name";
    return html`<section class="collision-side">${radio(choice, label)}${isGone && html`<p class="quiet">${t("Removed here")}</p>`}
${
  change?.rendered
    ? html`${change.rendered}<details class="quiet"><summary>${t("Source")}</summary>${change.source}</details>`
    : change?.source
}</section>`;
  };
  const others = isOwn ? t("From the other window") : t("From :name", { name: names || t("Unknown user") });
  return html`<fieldset class="collision"><legend>${legend}</legend><div class="comparison">${side("mine", t("Mine"), mine)}${side("theirs", others, theirs)}</div>
${kind !== "name" && radio("both", t("Both, mine last"))}</fieldset>`;
}

/** The hidden field of the tags that a page had when it was opened. */
export function baseTagsField(tags: MergeTags): Html {
  return tags === undefined
    ? html``
    : html`<input type="hidden" name="base_tags" value="${JSON.stringify(tags.map(({ name, value }) => ({ name, value })))}">`;
}

type MergeTags = SubmittedPage["baseTags"];

/** What the editor says of changes of others: a region for what is saved while one writes, or the draft of another window. */
export function conflictNotice(parts: Web["parts"], data: EditorData, ui: Ui): Html {
  const { newer, base, about, conflict } = data;
  if (conflict) return otherWindow(parts, { ...data, conflict }, ui);
  const [, id] = /^page\/(\d+)$/.exec(about) ?? [];
  if (base === undefined || id === undefined) return html``;
  const { t } = ui;
  const texts = {
    saved: t(":name saved this page while you write."),
    own: t("You saved this page in another window."),
    merged: t("When you save, both changes are merged, and you are asked where they collide."),
    link: t("Show what changed"),
    tab: t("(in a new tab)"),
  };
  return html`<div id="newer-page" role="status" aria-live="polite" data-ask="${ui.url(`/editor/draft/page/${id}?base_revision=`)}" data-changes="${ui.url(changesPath(Number(id), ""))}" data-shown="${newer?.revision ?? ""}" data-texts="${JSON.stringify(texts)}">${newer && newerNotice(parts, { newer, path: changesPath(Number(id), base) }, ui)}</div><template id="newer-sign">${ui.icon("warning")} </template>`;
}

function newerNotice(
  parts: Web["parts"],
  { newer, path }: { readonly newer: NewerPage; readonly path: string },
  ui: Ui,
): Html {
  const { t } = ui;
  const text = newer.own
    ? t("You saved this page in another window.")
    : t(":name saved this page after you began to write.", { name: newer.by });
  return parts.notice(
    ui,
    "bad",
    html`${text} ${ui.time(newer.at)} ${t("When you save, both changes are merged, and you are asked where they collide.")} <a href="${ui.url(path)}" target="_blank" rel="noopener">${t("Show what changed")}<span class="unseen"> ${t("(in a new tab)")}</span></a>`,
  );
}

function otherWindow(
  parts: Web["parts"],
  { conflict, comparison, content }: EditorData & { readonly conflict: NonNullable<EditorData["conflict"]> },
  ui: Ui,
): Html {
  const { t } = ui;
  return html`<section class="notice bad" role="alert"><h2>${t("You changed this draft in another window")}</h2>
<p>${t("Your text is kept below. Differences between the other draft and yours:")} ${ui.time(conflict.at)}</p>
${parts.difference(ui, conflict.content, content, comparison)}
<details><summary>${t("Full text of the other draft")}</summary><pre class="their-text">${conflict.content}</pre></details></section>`;
}
