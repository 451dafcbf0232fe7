/**
 * Saving a page over a newer revision. The text is merged by the API: where nothing collides, the merged page is saved, and a
 * notice says whose change it takes in. What collides is shown on a screen that asks for each collision what stays. Its form holds
 * the text of the writer and the revision that this was made from, and each request merges anew, so that nothing is kept
 * between them: a further save of others leads to the screen again, with the choices that still fit.
 */
import type { Screen, SubmitResult, Visit } from "lectern/contracts";
import { ApiError } from "lectern/core";
import {
  type Choice,
  choicesIn,
  collisionsOf,
  type Merge,
  type MergedPage,
  settled,
  withFewCollisions,
} from "./conflict_choices.ts";
import { conflictView } from "./conflict_view.ts";
import type { EditingContext } from "./contract.ts";
import { changesPath, type DraftNews, namesOf, newsOf } from "./draft_news.ts";
import { bookOfSaved, changeOwner } from "./drawer.ts";
import type { EditorData } from "./editor.ts";
import { type MergeBase, previewOf, saveDraft } from "./editor_input.ts";
import type { Book, Page } from "./items.ts";
import { placeIn } from "./places.ts";
import { isByScript, savedAnswer } from "./save_answer.ts";

/** A page as it was submitted, and what it was made from. */
export type SubmittedPage = Pick<EditorData, "name" | "source" | "content" | "tags" | "keptAt"> & MergeBase;

/** Where a page is saved that others have saved meanwhile. */
export interface SavedPlace {
  readonly book: Book;
  readonly page: Page;
}

/** What becomes of a page that was submitted over a newer revision. */
export interface Conflicts {
  /** Saves what was merged without a collision, else asks. Undefined where no newer revision was in the way. */
  save(visit: Visit, place: SavedPlace, sent: SubmittedPage): Promise<Response | Screen | undefined>;
  /** The same with the choices of the screen. */
  resolve(visit: Visit, place: SavedPlace, sent: SubmittedPage): Promise<Response | Screen>;
  /** The merged page for further editing, or the screen where a choice is missing. */
  settle(visit: Visit, place: SavedPlace, sent: SubmittedPage): Promise<SettledPage | Screen>;
}

/** A page that its writer has merged: the text to edit on. */
export interface SettledPage extends MergedPage, MergeBase {
  readonly keptAt: string;
}

/** How often a merge is repeated where others save faster. */
const MAX_TRIES = 3;

/** Makes the screen of conflicts; see `Conflicts`. */
export function conflictsOf(context: EditingContext): Conflicts {
  const draw = conflictView(context);
  const asked = async (visit: Visit, place: SavedPlace, ask: Asked): Promise<Screen> => {
    const { sent, merge } = ask;
    // A script sends the form again as a browser does, which shows the screen.
    if (isByScript(visit))
      throw new ApiError(409, ask.message ?? visit.ui.t("This page was changed since you opened it"));
    const kept = await saveDraft(visit, `/api/drafts/page/${place.page.id}`, { ...sent, slot: "" });
    const keptAt = kept.ok ? (kept.body.draft?.updated_at ?? sent.keptAt) : sent.keptAt;
    const { news, names } = await newsOfMerge(visit, place.page, sent.base);
    return draw(visit, {
      ...ask,
      ...place,
      sent: { ...sent, keptAt },
      collisions: collisionsOf(merge),
      isKept: kept.ok,
      news,
      names,
    });
  };
  const save = async (visit: Visit, place: SavedPlace, ask: Asked & { readonly isAccepted: boolean }) => {
    const { sent, choices, isAccepted } = ask;
    for (let tries = 1, { merge } = ask; ; tries++, merge = await mergeOf(visit, place.page, sent)) {
      const page = settled(merge, choices);
      // A page in another format than the writer's is shown first.
      if (!page || (page.source !== sent.source && !isAccepted)) return asked(visit, place, { ...ask, merge });
      const { news, names } = await newsOfMerge(visit, place.page, sent.base);
      const saved = await putPage(visit, place.page, page, merge.revision_count);
      if (saved.ok) {
        await dropDraft(visit, place.page.id, sent);
        const fault = await changeOwner(visit, place.page);
        const answer = { book: await bookOfSaved(visit, place.book, saved.body), page: saved.body };
        const isAlone = !isChanged(sent, page);
        const notice = fault ?? (isAlone ? visit.ui.t("The page is saved.") : savedWith(visit, news, names));
        if (isAlone) return savedAnswer(visit, { ...answer, notice });
        return savedAnswer(visit, {
          ...{ ...answer, notice },
          merged: changesPath(place.page.id, sent.base, merge.revision_count),
        });
      }
      const isBehind = saved.status === 409 && tries < MAX_TRIES;
      if (!isBehind) return asked(visit, place, { ...ask, merge, message: firstError(saved) });
    }
  };
  return {
    async save(visit, place, sent) {
      const merge = await mergeOf(visit, place.page, sent);
      if (merge.revision_count === sent.base) return undefined;
      return save(visit, place, { sent, merge, choices: new Map(), isAccepted: false });
    },
    async resolve(visit, place, sent) {
      const choices = choicesIn(visit.input);
      const merge = await mergeOf(visit, place.page, sent);
      const message = missing(visit, merge, choices);
      if (message !== undefined) return asked(visit, place, { sent, merge, choices, message });
      const isAccepted = visit.text("format") === merge.format;
      return save(visit, place, { sent, merge, choices, isAccepted });
    },
    async settle(visit, place, sent) {
      const choices = choicesIn(visit.input);
      const merge = await mergeOf(visit, place.page, sent);
      const page = settled(merge, choices);
      if (!page) return asked(visit, place, { sent, merge, choices, message: missing(visit, merge, choices) });
      const { revision_count, tags } = await visit.item("page", { id: place.page.id });
      const isPresent = revision_count === merge.revision_count;
      const merged = { base: merge.revision_count, baseTags: isPresent ? (tags ?? []) : undefined };
      const form = { ...page, slot: "", keptAt: sent.keptAt, merged };
      const kept = await saveDraft(visit, `/api/drafts/page/${place.page.id}`, form);
      return { ...page, ...merged, keptAt: kept.ok ? (kept.body.draft?.updated_at ?? "") : sent.keptAt };
    },
  };
}

/**
 * Discards the draft of a page that was saved: not the one that another window of the user has stored with other text, which is
 * offered when the page is edited again.
 */
export async function dropDraft(
  visit: Visit,
  pageId: number,
  { keptAt, name, source, content }: SubmittedPage,
): Promise<void> {
  const path = `/api/drafts/page/${pageId}` as const;
  const { draft } = await visit.get(path);
  if (!draft) return;
  const isSame = draft.name === name && draft[source] === content;
  if (isSame || draft.updated_at === keptAt) await visit.send("DELETE", path);
}

/** What the conflict screen asks for. */
interface Asked {
  readonly sent: SubmittedPage;
  readonly merge: Merge;
  readonly choices: ReadonlyMap<string, Choice>;
  readonly message?: string | undefined;
}

function missing({ ui }: Visit, merge: Merge, choices: ReadonlyMap<string, Choice>): string | undefined {
  const open = collisionsOf(merge).filter(({ key }) => !choices.has(key)).length;
  return open === 0 ? undefined : ui.t("Choose what stays. Undecided: :count", { count: open });
}

function savedWith({ ui }: Visit, { newer }: DraftNews, name: string): string {
  if (name !== "") return ui.t("The page is saved, with the change of :name.", { name });
  return newer?.own ? ui.t("The page is saved, with your change from another window.") : ui.t("The page is saved.");
}

function isChanged(sent: SubmittedPage, page: MergedPage): boolean {
  const plain = ({ name, content, tags }: Pick<MergedPage, "name" | "content" | "tags">) =>
    JSON.stringify([name, content, tags.map((tag) => [tag.name, tag.value])]);
  return plain(sent) !== plain(page);
}

function putPage(visit: Visit, { id }: Page, { name, source, content, tags }: MergedPage, base: number) {
  const summary = visit.text("summary");
  return visit.send("PUT", `/api/pages/${id}`, {
    ...{ name, [source]: content, tags: [...tags], base_revision: base },
    ...placeIn(visit),
    ...(summary === "" ? {} : { summary }),
  });
}

function firstError(sent: SubmitResult<unknown>): string | undefined {
  return sent.ok ? undefined : (Object.values(sent.errors).flat()[0] ?? sent.message);
}

/** The merge of a submitted page with the saved one. */
async function mergeOf(visit: Visit, { id }: Page, sent: SubmittedPage): Promise<Merge> {
  const { name, source, content, tags, base, baseTags } = sent;
  const body = {
    name,
    [source]: content,
    tags: [...tags],
    ...(baseTags === undefined ? {} : { base_tags: [...baseTags] }),
  };
  const merged = await visit.send("POST", `/api/pages/${id}/merge`, { ...body, base_revision: base ?? 0 });
  if (merged.ok) return withFewCollisions(merged.body);
  if (merged.status !== 409) throw new ApiError(merged.status, firstError(merged) ?? merged.message);
  return withoutBase(visit, id, sent);
}

/** A merge where the revision is no longer kept that the text was made from: all that differs collides. */
async function withoutBase(visit: Visit, id: number, sent: SubmittedPage): Promise<Merge> {
  const page = await visit.item("page", { id });
  const isMarkdown = sent.source === "markdown" && (page.markdown !== "" || page.raw_html === "");
  const format = isMarkdown ? "markdown" : "html";
  const theirs = isMarkdown ? page.markdown : page.raw_html;
  const mine = sent.source === format ? sent.content : ((await previewOf(visit, sent.source, sent.content)) ?? "");
  // Merged with the present revision alone, tags without a base collide where they differ.
  const body = { base_revision: page.revision_count, [format]: theirs, tags: [...sent.tags] };
  const merged = await visit.send("POST", `/api/pages/${id}/merge`, body);
  if (!merged.ok) throw new ApiError(merged.status, firstError(merged) ?? merged.message);
  const part = (own: string, others: string) =>
    own === others ? { text: own } : { base: "", mine: own, theirs: others };
  const [name, text] = [part(sent.name, page.name), part(mine, theirs)];
  return { ...merged.body, format, name, parts: [text], text: "text" in text ? mine : null };
}

async function newsSince(visit: Visit, { id }: Page, base: number | undefined) {
  return newsOf(visit, await visit.get(`/api/drafts/page/${id}?base_revision=${base ?? 0}`));
}

async function newsOfMerge(visit: Visit, page: Page, base: number | undefined) {
  const news = await newsSince(visit, page, base);
  return { news, names: namesOf(visit, news) };
}
