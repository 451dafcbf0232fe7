/** The answers to a form of the editor that is saved: a browser is led on, a script stays on the screen and gets JSON. */
import { pagePath, type Visit } from "lectern/contracts";
import { ApiError } from "lectern/core";
import type { EditorData } from "./editor.ts";
import type { Book, Page } from "./items.ts";

/** A page that was saved, with its book. */
interface Saved {
  readonly book: Pick<Book, "slug">;
  readonly page: Pick<Page, "id" | "name" | "slug" | "revision_count" | "tags">;
  /** What the next screen says. */
  readonly notice: string;
  /** Of a page that was merged with a change of others: the path of that change. A form that stays is loaded again. */
  readonly merged?: string;
}

/** Whether the form saves the page: "save" leads to it, "stay" back to its editor. */
export function isSaving(visit: Visit): boolean {
  return ["save", "stay"].includes(visit.text("act"));
}

/** Leads to the page, or to its editor; a script gets both addresses, and what the form has to send from now on. */
export function savedAnswer(visit: Visit, { book, page, notice, merged }: Saved): Response {
  const { ui } = visit;
  const path = pagePath(book, page);
  const stays = visit.text("act") === "stay";
  const link = merged === undefined ? undefined : { text: ui.t("Show what changed"), path: merged };
  const answer = visit.goTo(stays ? `${path}/edit` : path, notice, link);
  if (!isByScript(visit)) return answer;
  const sent = new Headers();
  // The cookie of a notice is for the screen that the script leads to.
  if (!stays || link) for (const cookie of answer.headers.getSetCookie()) sent.append("set-cookie", cookie);
  const about = `page/${page.id}`;
  const next = {
    page: ui.url(path),
    edit: ui.url(`${path}/edit`),
    draft: ui.url(`/editor/draft/${about}`),
    discard: ui.url(`/editor/discard/${about}?back=${encodeURIComponent(path)}`),
    about,
    page_id: page.id,
    base_revision: page.revision_count,
    base_tags: page.tags ?? [],
    merged: link !== undefined,
    title: ui.t("Edit “:name”", { name: page.name }),
  };
  return Response.json(next, { headers: sent });
}

/**
 * The form that was not saved, where a browser has sent it. A script gets the error, and sends the form again as a browser does
 * where a screen of the server shows it better. Throws ApiError.
 */
export function refusal(visit: Visit, sent: EditorData["sent"]): void {
  if (sent && !sent.ok && isByScript(visit)) throw new ApiError(sent.status, sent.message);
}

/** Whether a script has sent the form. */
export function isByScript({ request }: Visit): boolean {
  return (request.headers.get("accept") ?? "").includes("application/json");
}
