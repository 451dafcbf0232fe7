/**
 * The actions of an item. Which ones are offered follows from roles and ownership alone; the API makes the final decision.
 */
import type { Toolbar, ToolbarItem, Ui } from "lectern/contracts";
import { type Html, html } from "lectern/core";
import type { Item } from "./api_types.ts";

/** An action, offered where `may` is true. */
export interface ItemAction {
  readonly path: string;
  readonly text: string;
  readonly icon: string;
  readonly may: boolean;
  readonly isDialog?: boolean;
  /** The path of the API that the action uses, if that is not of the item's own plugin. */
  readonly needs?: string;
}

/** Whether an action is offered: the reader may do it, and the plugins of its screen and of its API are installed. */
export function isOffered({ may, path, needs }: ItemAction, ui: Ui): boolean {
  return may && ui.serves(path) && (needs === undefined || ui.serves(needs));
}

/** The path of the API that the screen of an item's permissions needs; an id of 0 finds the route, not an item. */
export const PERMISSIONS_API = "/api/content-permissions/book/0";
/** The path of the API that the editor of pages needs. */
export const DRAFTS_API = "/api/drafts/page/0";

/** The toolbar of an item: actions as a row of links, `more` in a menu, then what plugins added. */
export function itemToolbar(
  actionList: readonly ItemAction[],
  more: readonly ItemAction[],
  added: Toolbar,
  ui: Ui,
): Toolbar {
  const itemOf =
    (isInMenu: boolean) =>
    ({ path, text, icon, isDialog }: ItemAction): ToolbarItem => {
      return { path, text, icon, isInMenu, kind: isDialog ? "dialog" : "link" };
    };
  const offered = (list: readonly ItemAction[]) => list.filter((action) => isOffered(action, ui));
  const items = [...offered(actionList).map(itemOf(false)), ...offered(more).map(itemOf(true)), ...added.items];
  return { items, markup: added.markup };
}

/** What a toolbar without additions of plugins gets. */
export const NOTHING_ADDED: Toolbar = { items: [], markup: "" };

/** The message of an empty list, with the actions that would fill it. */
export function emptyMessage(text: string, steps: readonly ItemAction[], ui: Ui): Html {
  const offered = steps.filter((step) => isOffered(step, ui));
  return html`<div class="empty"><p>${text}</p>${
    offered.length > 0 &&
    html`<p class="actions">${offered.map((step) => html`<a role="button" href="${ui.url(step.path)}">${ui.icon(step.icon)} ${step.text}</a>`)}</p>`
  }</div>`;
}

/** Whether the viewer has a permission for an item: for all items, or for own items and it is theirs. */
export function mayDo(ui: Ui, permission: string, item: Pick<Item, "owned_by">): boolean {
  return ui.may(`${permission}-all`) || (ui.may(`${permission}-own`) && ui.isViewer(item.owned_by?.id));
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
  ).map(([format, text]) => ({
    path: `${path}/export/${format}`,
    text,
    icon: "export",
    may,
    needs: `/api/books/0/export/${format}`,
  }));
}
