/**
 * The components of screens, as plain markup that works without scripts; `web.js` enhances some. Texts are translated by the caller.
 * Labels, help and errors are connected to their fields for screen readers.
 */
import type {
  ConfirmSpec,
  FieldSpec,
  FormSpec,
  PageSpec,
  TableSpec,
  Toolbar,
  ToolbarItem,
  Ui,
} from "lectern/contracts";
import { type Html, html, type InputValue } from "lectern/core";

/** A field with label, help and errors. */
export function field(spec: FieldSpec, ui: Ui): Html {
  const { name, label, type = "text", errors = [], help } = spec;
  const id = `field-${name.replace(/[^A-Za-z0-9_-]/g, "-")}`;
  const isInvalid = errors.length > 0;
  const descriptions = [help !== undefined && `${id}-help`, isInvalid && `${id}-fault`].filter(Boolean).join(" ");
  const aria = html`${descriptions !== "" && html` aria-describedby="${descriptions}"`}${isInvalid && html` aria-invalid="true"`}`;
  const notes = html`${help !== undefined && html`<small id="${id}-help">${help}</small>`}${
    isInvalid && html`<small class="fault" id="${id}-fault">${ui.icon("warning")} ${errors.join(" ")}</small>`
  }`;
  if (type === "checkbox")
    return html`<div class="field check"><input type="checkbox" id="${id}" name="${name}" value="true"${spec.value === true && html` checked`}${aria}>
<label for="${id}">${label}</label>${notes}</div>`;
  return html`<div class="field"><label for="${id}"${spec.required && html` class="needed"`}>${label}</label>
${control(spec, id, type, aria)}${notes}</div>`;
}

function control(spec: FieldSpec, id: string, type: string, aria: Html): Html {
  const value = spec.value === null || spec.value === undefined ? "" : String(spec.value);
  const shared = html`id="${id}" name="${spec.name}"${spec.required && html` required`}${spec.autofocus && html` autofocus`}${
    spec.maxlength !== undefined && html` maxlength="${spec.maxlength}"`
  }${spec.placeholder !== undefined && html` placeholder="${spec.placeholder}"`}${
    spec.autocomplete !== undefined && html` autocomplete="${spec.autocomplete}"`
  }${aria}`;
  if (type === "textarea") return html`<textarea ${shared} rows="${spec.rows ?? 4}">\n${value}</textarea>`;
  if (type === "select")
    return html`<select ${shared}>${(spec.options ?? []).map(
      ([key, text]) => html`<option value="${key}"${String(key) === value && html` selected`}>${text}</option>`,
    )}</select>`;
  const rest = html`${spec.min !== undefined && html` min="${spec.min}"`}${spec.max !== undefined && html` max="${spec.max}"`}${
    spec.accept !== undefined && html` accept="${spec.accept}"`
  }${spec.multiple && html` multiple`}`;
  const isSecret = type === "password" || type === "file";
  return html`<input type="${type}" ${shared}${rest}${!isSecret && html` value="${value}"`}>`;
}

/** A form with its error, fields and buttons. */
export function form({ action, fields, submit, cancel, error, files, danger, label, id }: FormSpec, ui: Ui): Html {
  return html`<form method="post" action="${ui.url(action)}"${files && html` enctype="multipart/form-data"`}${
    label !== undefined && html` aria-label="${label}"`
  }${id !== undefined && html` id="${id}"`}>
${error !== undefined && html`<p class="notice bad" role="alert">${ui.icon("warning")} ${error}</p>`}
${fields}
<div class="ends"><button${danger && html` class="danger"`}>${submit}</button>${
    cancel !== undefined &&
    html` <a role="button" class="secondary outline" href="${ui.url(cancel)}">${ui.t("Cancel")}</a>`
  }</div></form>`;
}

/**
 * A table that scrolls horizontally on narrow screens; the text `empty` where it has no rows. Cells that are numbers are written as the
 * language does.
 */
export function table({ caption, head, rows, empty }: TableSpec, ui: Ui): Html {
  if (rows.length === 0) return html`<p class="empty">${empty}</p>`;
  return html`<div class="scrolls" tabindex="0" role="region" aria-label="${caption}"><table>
<caption class="unseen">${caption}</caption>
<thead><tr>${head.map((cell) => html`<th scope="col">${cell}</th>`)}</tr></thead>
<tbody>${rows.map((row) => html`<tr>${row.map((cell) => html`<td>${typeof cell === "number" ? ui.number(cell) : cell}</td>`)}</tr>`)}</tbody></table></div>`;
}

/** The pagination of a listing, which keeps the filters of the query. */
export function pager({ path, query, field = "page", total, page, size }: PageSpec, ui: Ui): Html {
  const last = Math.max(1, Math.ceil(total / size));
  if (last === 1) return html``;
  const to = (number: number) => `${ui.url(path)}?${searchOf({ ...query, [field]: String(number) })}`;
  return html`<nav class="pager" aria-label="${ui.t("Pagination")}">
${page > 1 ? html`<a rel="prev" href="${to(page - 1)}">${ui.icon("previous")} ${ui.t("Previous")}</a>` : html`<span></span>`}
<span>${ui.t("Page :page of :last", { page, last })}</span>
${page < last ? html`<a rel="next" href="${to(page + 1)}">${ui.t("Next")} ${ui.icon("next")}</a>` : html`<span></span>`}</nav>`;
}

function searchOf(query: Readonly<Record<string, InputValue | undefined>>): string {
  const search = new URLSearchParams();
  const put = (name: string, value: InputValue | undefined): void => {
    if (value === undefined || value === null) return;
    if (typeof value !== "object") search.append(name, String(value));
    else for (const [key, inner] of Object.entries(value)) put(`${name}[${key}]`, inner as InputValue);
  };
  for (const [name, value] of Object.entries(query)) put(name, value);
  return search.toString();
}

/** A confirmation; the cancel button has the focus. */
export function confirm({ question, detail, action, submit, back, fields }: ConfirmSpec, ui: Ui): Html {
  return html`<section class="confirm" aria-labelledby="confirm-title"><h1 id="confirm-title">${question}</h1>
<p>${detail}</p>
<form method="post" action="${ui.url(action)}">${fields}
<div class="ends"><a role="button" class="secondary" href="${ui.url(back)}" data-close autofocus>${ui.t("Cancel")}</a>
<button class="danger">${submit}</button></div></form></section>`;
}

/** A highlighted message. */
export function notice({ kind, text }: { kind: "good" | "bad" | "note"; text: HtmlText }, ui: Ui): Html {
  const icon = kind === "good" ? "check" : "warning";
  return html`<div class="notice ${kind}" role="${kind === "bad" ? "alert" : "status"}">${ui.icon(icon)} ${text}</div>`;
}

type HtmlText = Parameters<typeof html>[1];

/** A value with a copy button. */
export function copyable(
  { label, value, secret, lines }: { label: string; value: string; secret?: boolean; lines?: boolean },
  ui: Ui,
): Html {
  const id = `copy-${Bun.hash(label + value).toString(36)}`;
  const shown = lines
    ? html`<textarea id="${id}" rows="${Math.min(18, value.split("\n").length + 1)}" readonly spellcheck="false">\n${value}</textarea>`
    : html`<input id="${id}" type="${secret ? "password" : "text"}" value="${value}" readonly spellcheck="false" autocomplete="off">`;
  return html`<div class="field copyable"><label for="${id}">${label}</label><div class="with-button">${shown}
${secret && html`<button type="button" class="secondary needs-script" data-reveal="${id}" aria-pressed="false">${ui.icon("eye")} ${ui.t("Show")}</button>`}
<button type="button" class="secondary needs-script" data-copy="${id}" data-done="${ui.t("Copied")}">${ui.icon("copy")} <span>${ui.t("Copy")}</span></button></div></div>`;
}

/** A form with a single button. */
export function button(
  { action, text, icon, kind }: { action: string; text: string; icon?: string; kind?: "plain" | "danger" },
  ui: Ui,
): Html {
  return html`<form class="inline" method="post" action="${ui.url(action)}"><button class="small ${kind === "danger" ? "danger" : "secondary outline"}">${
    icon !== undefined && ui.icon(icon)
  } <span>${text}</span></button></form>`;
}

/** A link that scripts open in a dialog. */
export function dialogLink(
  { path, text, icon, kind }: { path: string; text: string; icon?: string; kind?: "plain" | "danger" },
  ui: Ui,
): Html {
  return html`<a role="button" class="small ${kind === "danger" ? "danger" : "secondary outline"}" href="${ui.url(path)}" data-dialog>${
    icon !== undefined && ui.icon(icon)
  } ${text}</a>`;
}

/** A row of links and buttons; those in the menu are folded. */
export function toolbar({ items, markup }: Toolbar, ui: Ui): Html {
  const shown = items.filter(({ isInMenu }) => !isInMenu);
  const inMenu = items.filter(({ isInMenu }) => isInMenu);
  return html`<div class="actions">${shown.map((item) => toolbarButton(item, ui))}${markup}${
    inMenu.length > 0 &&
    html`<details class="dropdown"><summary role="button" class="small secondary outline">${ui.icon("menu")} <span>${ui.t("More")}</span></summary><ul>${inMenu.map((item) => html`<li>${menuItem(item, ui)}</li>`)}</ul></details>`
  }</div>`;
}

function toolbarButton({ path, text, icon, kind }: ToolbarItem, ui: Ui): Html {
  if (kind === "form") return button({ action: path, text, icon }, ui);
  return html`<a role="button" class="small secondary outline" href="${ui.url(path)}"${kind === "dialog" && html` data-dialog`}>${ui.icon(icon)} <span>${text}</span></a>`;
}

function menuItem({ path, text, icon, kind }: ToolbarItem, ui: Ui): Html {
  if (kind === "form")
    return html`<form method="post" action="${ui.url(path)}"><button class="as-link">${ui.icon(icon)} ${text}</button></form>`;
  return html`<a href="${ui.url(path)}"${kind === "dialog" && html` data-dialog`}>${ui.icon(icon)} ${text}</a>`;
}

/** Tabs that are links. */
export function tabs(
  { label, tabs: each }: { label: string; tabs: readonly { path: string; text: string; current: boolean }[] },
  ui: Ui,
): Html {
  return html`<nav class="tabs" aria-label="${label}"><ul>${each.map(
    ({ path, text, current }) =>
      html`<li><a href="${ui.url(path)}"${current && html` aria-current="page"`}>${text}</a></li>`,
  )}</ul></nav>`;
}

/** A label for a state. */
export function badge({ kind, text }: { kind: "good" | "bad" | "note"; text: string }): Html {
  return html`<span class="badge ${kind}">${text}</span>`;
}
