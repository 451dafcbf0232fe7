/**
 * Renaming and merging of tags. The new name is asked for first; then the screen says how many items change, how many are left alone, and
 * whether the two tags become one, before anything is done. A rename of many items is watched on a screen like that of a copy in the background.
 */
import type { Answers, Ui, Visit } from "lectern/contracts";
import { ApiError, type Html, html, type InputValue } from "lectern/core";
import { idOf } from "../_paths/id_of.ts";
import type { EditingContext } from "./contract.ts";

type Progress = Answers[`/api/tags/renames/${number}`];

/** A tag, and what it is to be called. */
interface Wanted {
  readonly name: string;
  /** The value that is renamed; undefined for tags of every value. */
  readonly value: string | undefined;
  readonly to: { readonly name: string; readonly value: string | undefined };
}

/** Data of the screen. */
export interface TagRenameData {
  readonly wanted: Wanted;
  /** What the rename would do; undefined where the new name is still to be typed. */
  readonly plan: Answers["/api/tags/rename"] | undefined;
  /** Items that have the new tag already, with which the two are merged. */
  readonly present: number;
  readonly errors: Readonly<Record<string, readonly string[]>>;
}

/** Data of the screen of a rename in the background. */
export interface TagRenameProgressData {
  readonly progress: Progress;
  /** The path of this screen. */
  readonly path: string;
}

const PATH = "/tags/rename";
const MAX_CHARS = 255;
/** Seconds between two looks at a rename without scripts. */
const REFRESH_SECONDS = 3;

/** Mounts the screens. */
export function mountTagRenames({ app, web, scripts }: EditingContext): void {
  const { parts } = web;
  const view = web.view("editing/tag_rename", ({ wanted, plan, present, errors }, ui) => {
    const { t } = ui;
    const { name, value, to } = wanted;
    const title = html`<h1>${value === undefined ? t("Rename the tag “:name”", { name }) : t("Rename “:value” of the tag “:name”", { name, value: shown(value, ui) })}</h1>`;
    const path = ui.url(PATH);
    const form = html`${title}
<form class="tag-rename" method="get" action="${path}"><input type="hidden" name="name" value="${name}">${value !== undefined && html`<input type="hidden" name="value" value="${value}">`}
${parts.field(ui, { name: "to_name", label: t("New name"), value: to.name, required: true, maxlength: MAX_CHARS, autocomplete: "off", errors: errors["to.name"] ?? [] })}
${
  value !== undefined &&
  parts.field(ui, {
    name: "to_value",
    label: t("New value"),
    value: to.value ?? value,
    maxlength: MAX_CHARS,
    autocomplete: "off",
    errors: errors["to.value"] ?? [],
  })
}<div class="ends"><button${plan && html` class="secondary outline"`}>${t("See what changes")}</button> <a role="button" class="secondary outline" href="${ui.url(indexPath(name))}">${t("Cancel")}</a></div></form>`;
    return plan ? html`${form}${planned(wanted, plan, present, ui)}` : form;
  });

  function planned(
    { name, value, to }: Wanted,
    { changes, left_alone }: NonNullable<TagRenameData["plan"]>,
    present: number,
    ui: Ui,
  ): Html {
    const { t } = ui;
    const hidden = { name, value, to_name: to.name, to_value: to.value };
    return html`<section class="planned" aria-labelledby="planned"><h2 id="planned">${t("What changes")}</h2>
<p role="status">${changes === 0 ? t("No item that you may edit has this tag in another spelling.") : t("Items that change: :count", { count: changes })}${
      left_alone > 0 &&
      html`<br>${t("Items that are left alone, as you may not edit them: :count", { count: left_alone })}`
    }</p>
${present > 0 && changes > 0 && html`<p>${t("Items that have the new tag already: :count. The two become one tag, which cannot be undone.", { count: present })}</p>`}
${
  changes > 0 &&
  html`<form method="post" action="${ui.url(PATH)}">${Object.entries(hidden).map(
    ([field, text]) => text !== undefined && html`<input type="hidden" name="${field}" value="${text}">`,
  )}<button>${present > 0 ? t("Merge") : t("Rename")}</button></form>`
}</section>`;
  }

  const drawn = async (visit: Visit, errors: TagRenameData["errors"] = {}, status = 200) => {
    const { ui } = visit;
    const wanted = wantedOf(visit.input);
    if (!wanted) return visit.goTo("/tags");
    const { name, value, to } = wanted;
    const isTyped = visit.input.to_name !== undefined && Object.keys(errors).length === 0;
    const plan = isTyped ? await visit.get(`/api/tags/rename?${planQuery(wanted)}`) : undefined;
    const present = plan ? await usesOf(visit, to.name, value === undefined ? undefined : (to.value ?? value)) : 0;
    const isSame = keyOf(to.name) === keyOf(name) && keyOf(to.value ?? value ?? "") === keyOf(value ?? "");
    const body = view({ wanted, plan, present: isSame ? 0 : present, errors }, ui);
    const crumbs = [
      { text: ui.t("Tags"), path: "/tags" },
      { text: name, path: indexPath(name) },
      { text: ui.t("Rename") },
    ];
    return { title: ui.t("Rename the tag “:name”", { name }), menu: "/tags", crumbs, body, status };
  };
  web.screen(app.site, PATH, "user", (visit) => {
    const wanted = wantedOf(visit.input);
    const tooLong = wanted && visit.input.to_name !== undefined ? faultsOf(wanted, visit.ui) : {};
    return drawn(visit, tooLong);
  });
  web.form(app.site, PATH, "user", async (visit) => {
    const wanted = wantedOf(visit.input);
    if (!wanted) return visit.goTo("/tags");
    const { name, value, to } = wanted;
    const sent = await visit.send("POST", "/api/tags/rename", {
      ...{ name, ...(value !== undefined && { value }) },
      to: { name: to.name, ...(to.value !== undefined && { value: to.value }) },
    });
    if (!sent.ok) {
      if (sent.status === 422) return drawn(visit, sent.errors, sent.status);
      throw new ApiError(sent.status, sent.message);
    }
    return sent.body.status === "done" ? ended(visit, sent.body) : visit.goTo(`/tags/renames/${sent.body.id}`);
  });

  const progressView = web.view("editing/tag_rename_progress", ({ progress, path }, ui) =>
    drawProgress(progress, path, ui),
  );
  web.screen(app.site, "/tags/renames/:id", "user", async (visit) => {
    const id = idOf(visit);
    const progress = await visit.get(`/api/tags/renames/${id}`);
    if (progress.status === "done") return ended(visit, progress);
    const body = progressView({ progress, path: `/tags/renames/${id}` }, visit.ui);
    const title = visit.ui.t("Rename the tag “:name”", { name: progress.name });
    return { title, menu: "/tags", body, scripts: progress.status === "failed" ? [] : [scripts.copy] };
  });
}

function indexPath(name: string): string {
  return `/tags?name=${encodeURIComponent(name)}`;
}

/** What the form says; undefined without a name. */
function wantedOf(input: Visit["input"]): Wanted | undefined {
  const [name, value] = [textOf(input.name), "value" in input ? (textOf(input.value) ?? "") : undefined];
  if (name === undefined || name === "") return undefined;
  const to_value = value === undefined || !("to_value" in input) ? undefined : (textOf(input.to_value) ?? "");
  return {
    name,
    value,
    to: { name: textOf(input.to_name) ?? (input.to_name === undefined ? name : ""), value: to_value },
  };
}

function textOf(value: InputValue | undefined): string | undefined {
  return typeof value === "string" ? value.trim() : undefined;
}

/** What the fields lack before the API is asked. */
function faultsOf({ to }: Wanted, { t }: Ui): TagRenameData["errors"] {
  const isLong = (text: string | undefined) => [...(text ?? "")].length > MAX_CHARS;
  const tooLong = t("It may have :max characters.", { max: MAX_CHARS });
  return {
    ...(to.name === "" ? { "to.name": [t("A tag needs a name.")] } : isLong(to.name) && { "to.name": [tooLong] }),
    ...(isLong(to.value) && { "to.value": [tooLong] }),
  };
}

function planQuery({ name, value, to }: Wanted): URLSearchParams {
  return new URLSearchParams({
    ...{ name, ...(value !== undefined && { value }), "to[name]": to.name },
    ...(to.value !== undefined && { "to[value]": to.value }),
  });
}

/** How many items that the reader sees have a tag, with a value where one is given. */
async function usesOf(visit: Visit, name: string, value: string | undefined): Promise<number> {
  const exactly = (text: string) => encodeURIComponent(text);
  const { data } =
    value === undefined
      ? await visit.get(`/api/tags/names?count=1&filter[name]=${exactly(name)}`)
      : await visit.get(`/api/tags/values-for-name?count=1&name=${exactly(name)}&filter[value]=${exactly(value)}`);
  return data[0]?.usages ?? 0;
}

/** For the question alone whether a tag is merged with itself. */
function keyOf(text: string): string {
  return text.trim().toLowerCase();
}

function shown(value: string, { t }: Ui): string {
  return value === "" ? t("(no value)") : value;
}

function ended(visit: Visit, { changed, left_alone, to }: Progress): Response {
  const { t } = visit.ui;
  const left = left_alone > 0 ? ` ${t("Left alone: :count.", { count: left_alone })}` : "";
  return visit.goTo(indexPath(to.name), `${t("Items that have changed: :count.", { count: changed })}${left}`);
}

function drawProgress(progress: Progress, path: string, ui: Ui): Html {
  const { name, status, changed, left_alone, total, error } = progress;
  const title = html`<h1>${ui.t("Rename the tag “:name”", { name })}</h1>`;
  const [done, back] = [
    changed + left_alone,
    html`<p class="actions"><a role="button" class="secondary" href="${ui.url(indexPath(name))}">${ui.t("Tags")}</a></p>`,
  ];
  if (status === "failed")
    return html`${title}<p class="notice error" role="alert">${ui.t("Items that have changed: :count.", { count: changed })} ${error ?? ""}</p>${back}`;
  const text = status === "waiting" ? ui.t("The change begins soon.") : ui.t(":done of :total items", { done, total });
  return html`<noscript><meta http-equiv="refresh" content="${REFRESH_SECONDS}"></noscript>
${title}<div data-copy><p role="status">${text}</p>
<progress max="${total}" value="${done}" aria-label="${ui.t("Progress")}"></progress></div>
<p class="quiet">${ui.t("You may leave this screen; the change goes on.")}</p>
<p class="actions"><a role="button" class="secondary" href="${ui.url(path)}">${ui.t("Refresh")}</a></p>`;
}
