/**
 * The recycle bin: its entries, restoring and permanent deletion. Both ask for confirmation, as restoring also restores child items and
 * deletion cannot be undone.
 */
import { type Answers, kindLabels, type Ui, type Visit, type Web } from "lectern/contracts";
import { formErrors, type Html, html, notFound, type Permit } from "lectern/core";
import { idOf } from "../_paths/id_of.ts";
import type { SettingsContext } from "./contract.ts";

/** An entry of the bin. */
export type BinEntry = Answers["/api/recycle-bin"]["data"][number];

/** Data of the screen. */
export interface BinData {
  readonly entries: readonly BinEntry[];
  readonly total: number;
  /** Names of the users who deleted entries, where the viewer may read them. */
  readonly people: ReadonlyMap<number, string>;
  readonly pager: Html;
  /** Whether a single entry is shown, as by a link of the audit log. */
  readonly isOne: boolean;
  /** Whether a plugin of a kind is installed; entries of other kinds can be neither restored nor deleted. */
  readonly isInstalled: (kind: string) => boolean;
  /** The name of a kind of item, in English. */
  kindName(kind: string): string;
}

const PATH = "/settings/recycle-bin";

/** The permissions that the bin needs. */
export const RECYCLE_BIN_PERMIT: Permit = { all: ["settings-manage", "restrictions-manage-all"] };

/** Mounts the bin. */
export function mountRecycleBin(context: SettingsContext): void {
  const { app, slot, web } = context;
  const isInstalled = (name: string) => slot("content").some(({ kind }) => kind === name);
  const kindName = (kind: string) => kindLabels(slot("content"), kind).one;
  const view = web.view("settings/recycle_bin", (data, ui) => drawBin(web, data, ui));
  web.screen(app.site, PATH, RECYCLE_BIN_PERMIT, async (visit) => {
    const { page, size, query } = web.paged(visit.query);
    const entry =
      typeof visit.query.entry === "string" && /^\d{1,10}$/.test(visit.query.entry) ? visit.query.entry : "";
    const one = entry === "" ? "" : `&filter[id]=${entry}`;
    const { data, total } = await visit.get(`/api/recycle-bin?${query}&sort=-created_at${one}`);
    const pager = web.parts.pager(visit.ui, { path: PATH, query: {}, total, page, size });
    const people = await peopleOf(visit, data);
    return {
      title: visit.ui.t("Recycle bin"),
      body: view({ entries: data, total, people, pager, isOne: one !== "", isInstalled, kindName }, visit.ui),
    };
  });
  mountEntry(context, isInstalled);
  mountEmpty(context);
}

async function peopleOf(visit: Visit, entries: readonly BinEntry[]): Promise<Map<number, string>> {
  const names = new Map<number, string>();
  for (const id of new Set(entries.map(({ deleted_by }) => deleted_by))) {
    const user = id === null ? undefined : await visit.find(`/api/users/${id}`);
    if (id !== null && user) names.set(id, user.name);
  }
  return names;
}

function drawBin({ parts }: Web, data: BinData, ui: Ui): Html {
  const { entries, total, people, pager, isOne, isInstalled, kindName } = data;
  const { t } = ui;
  const rows = entries.map((entry) => {
    const { parent } = entry.deletable ?? {};
    return [
      html`<span class="quiet">${t(kindName(entry.deletable_type))}</span><br><strong class="any-words">${nameOf(entry, ui)}</strong>${
        parent && html`<br><span class="quiet any-words">${t("in :name", { name: parent.name })}</span>`
      }`,
      contentsOf(entry, ui) || "–",
      html`${ui.time(entry.created_at)}${entry.deleted_by !== null && html`<br><span class="quiet any-words">${people.get(entry.deleted_by) ?? `#${entry.deleted_by}`}</span>`}`,
      isInstalled(entry.deletable_type)
        ? html`<div class="actions">${parts.dialogLink(ui, { path: `${PATH}/${entry.id}/restore`, text: t("Restore"), icon: "restore" })}
${parts.dialogLink(ui, { path: `${PATH}/${entry.id}/destroy`, text: t("Delete permanently"), kind: "danger" })}</div>`
        : lockedActions(ui),
    ];
  });
  const head = [t("Item"), t("Contains"), t("Deleted"), html`<span class="unseen">${t("Actions")}</span>`];
  return html`<div class="head-line"><h1>${t("Recycle bin")}</h1>
${total > 0 && !isOne && parts.dialogLink(ui, { path: `${PATH}/empty`, text: t("Empty the recycle bin"), icon: "delete", kind: "danger" })}</div>
<p>${t("Deleted items stay here until they are restored or permanently deleted.")}${isOne && html` <a href="${ui.url(PATH)}">${t("Show all")}</a>`}</p>
${parts.table(ui, { caption: t("Recycle bin"), head, rows, empty: t("The recycle bin is empty.") })}
${pager}`;
}

/** The actions of an entry whose plugin is not installed: buttons that do nothing, with the reason. */
function lockedActions({ t }: Ui): Html {
  return html`<div class="actions"><button class="small secondary outline" disabled>${t("Restore")}</button>
<button class="small secondary outline" disabled>${t("Delete permanently")}</button></div>
<small class="quiet">${t(NOT_INSTALLED)}</small>`;
}

function nameOf({ deletable, deletable_id }: BinEntry, ui: Ui): string {
  return deletable?.name ?? ui.t("Deleted item :id", { id: deletable_id });
}

/** The counts of child items of an entry, as text; "" for none. */
function contentsOf({ deletable }: BinEntry, ui: Ui): string {
  const counts: Readonly<Record<string, unknown>> = deletable ?? {};
  const count = (name: string) => Number(counts[`${name}_count`] ?? 0);
  const [books, chapters, pages] = [count("books"), count("chapters"), count("pages")];
  return [
    books > 0 && ui.t("Books: :count", { count: books }),
    chapters > 0 && ui.t("Chapters: :count", { count: chapters }),
    pages > 0 && ui.t("Pages: :count", { count: pages }),
  ]
    .filter((text) => text !== false)
    .join(", ");
}

const NOT_INSTALLED = "The plugin of this kind is not installed. Install it to restore or delete the item.";

const ACTIONS = {
  restore: { method: "PUT", question: "Restore “:name”?", submit: "Restore" },
  destroy: { method: "DELETE", question: "Permanently delete “:name”?", submit: "Delete permanently" },
} as const;

/** The entry of the URL. Throws 404 where there is none. */
async function entryOf(visit: Visit): Promise<BinEntry> {
  const { data } = await visit.get(`/api/recycle-bin?count=1&filter[id]=${idOf(visit)}`);
  if (!data[0]) throw notFound("Deletion");
  return data[0];
}

function mountEntry({ app, web }: SettingsContext, isInstalled: BinData["isInstalled"]): void {
  for (const action of ["restore", "destroy"] as const) {
    const { method, question, submit } = ACTIONS[action];
    web.screen(app.site, `${PATH}/:id/${action}`, RECYCLE_BIN_PERMIT, async (visit) => {
      const { ui } = visit;
      const entry = await entryOf(visit);
      if (!isInstalled(entry.deletable_type)) return visit.goTo(PATH, ui.t(NOT_INSTALLED));
      const title = ui.t(question, { name: nameOf(entry, ui) });
      const held = contentsOf(entry, ui);
      const detail = html`${action === "restore" ? ui.t("It is restored to its previous location, unless that is in the recycle bin as well.") : ui.t("This cannot be undone.")}${held !== "" && html` ${ui.t("Includes its content. :held", { held })}`}`;
      const path = `${PATH}/${entry.id}/${action}`;
      return {
        title,
        body: web.parts.confirm(ui, { question: title, detail, action: path, submit: ui.t(submit), back: PATH }),
      };
    });
    web.form(app.site, `${PATH}/:id/${action}`, RECYCLE_BIN_PERMIT, async (visit) => {
      const sent = await visit.send(method, `/api/recycle-bin/${idOf(visit)}`);
      if (!sent.ok) return visit.goTo(PATH, formErrors(sent).error ?? sent.message);
      const { t } = visit.ui;
      if ("delete_count" in sent.body)
        return visit.goTo(PATH, t("Items permanently deleted: :count", { count: sent.body.delete_count }));
      const { restore_count: count } = sent.body;
      return visit.goTo(
        PATH,
        count === 0
          ? t("Its parent is in the recycle bin. It is restored together with its parent.")
          : t("Items restored: :count", { count }),
      );
    });
  }
}

function mountEmpty({ app, web }: SettingsContext): void {
  web.screen(app.site, `${PATH}/empty`, RECYCLE_BIN_PERMIT, async (visit) => {
    const { ui } = visit;
    const { total } = await visit.get("/api/recycle-bin?count=1");
    const question = ui.t("Empty the recycle bin?");
    const detail = ui.t("Its :count entries and their content will be deleted permanently. This cannot be undone.", {
      count: total,
    });
    const action = `${PATH}/empty`;
    return {
      title: question,
      body: web.parts.confirm(ui, { question, detail, action, submit: ui.t("Delete permanently"), back: PATH }),
    };
  });
  web.form(app.site, `${PATH}/empty`, RECYCLE_BIN_PERMIT, async (visit) => {
    const sent = await visit.send("DELETE", "/api/maintenance/recycle-bin");
    if (!sent.ok) return visit.goTo(PATH, sent.message);
    const { delete_count: count, kept_count: kept = 0 } = sent.body;
    const { t } = visit.ui;
    const notice = t("Items permanently deleted: :count", { count });
    const rest =
      kept > 0 ? ` ${t("Entries kept, as the plugins of their kinds are not installed: :count", { count: kept })}` : "";
    return visit.goTo(PATH, notice + rest);
  });
}
