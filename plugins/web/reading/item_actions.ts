/**
 * The actions of an item. Which ones are offered follows from roles and ownership alone; the API makes the final decision.
 */
import type { Ui } from "lectern/contracts";
import { type Html, html } from "lectern/core";
import type { Item } from "./api_types.ts";

/** An action, offered where `may` is true. */
export interface ItemAction {
  readonly path: string;
  readonly text: string;
  readonly icon: string;
  readonly may: boolean;
  readonly isDialog?: boolean;
}

/** Actions as a row of links; `more` in a menu. */
export function actions(actionList: readonly ItemAction[], more: readonly ItemAction[], ui: Ui): Html {
  const link = ({ path, text, icon, isDialog }: ItemAction) =>
    html`<a href="${ui.url(path)}"${isDialog && html` data-dialog`}>${ui.icon(icon)} ${text}</a>`;
  const inMenu = more.filter(({ may }) => may);
  return html`<div class="actions">${actionList
    .filter(({ may }) => may)
    .map(
      ({ path, text, icon }) =>
        html`<a role="button" class="small secondary outline" href="${ui.url(path)}">${ui.icon(icon)} ${text}</a>`,
    )}${
    inMenu.length > 0 &&
    html`<details class="dropdown"><summary role="button" class="small secondary outline">${ui.icon("menu")} ${ui.t("More")}</summary><ul>${inMenu.map((action) => html`<li>${link(action)}</li>`)}</ul></details>`
  }</div>`;
}

/** The message of an empty list, with the actions that would fill it. */
export function emptyMessage(text: string, steps: readonly ItemAction[], ui: Ui): Html {
  const offered = steps.filter(({ may }) => may);
  return html`<div class="empty"><p>${text}</p>${
    offered.length > 0 &&
    html`<p class="actions">${offered.map((step) => html`<a role="button" href="${ui.url(step.path)}">${ui.icon(step.icon)} ${step.text}</a>`)}</p>`
  }</div>`;
}

/** Whether the viewer has a permission for an item: for all items, or for own items and it is theirs. */
export function mayDo(ui: Ui, permission: string, item: Pick<Item, "owned_by">): boolean {
  return ui.may(`${permission}-all`) || (ui.may(`${permission}-own`) && item.owned_by?.id === ui.viewer.id);
}

/** The export actions of an item, one for each format. */
export function exportActions(path: string, ui: Ui): ItemAction[] {
  const may = ui.may("content-export");
  return (
    [
      ["html", ui.t("Export as HTML")],
      ["pdf", ui.t("Export as PDF")],
      ["markdown", ui.t("Export as Markdown")],
      ["plaintext", ui.t("Export as text")],
      ["zip", ui.t("Export as portable ZIP")],
    ] as const
  ).map(([format, text]) => ({ path: `${path}/export/${format}`, text, icon: "export", may }));
}
