/**
 * What the form of the editor sends: its text in the format of the page, its tags, what it is based on, and the draft that is made of it. Text of the
 * rich editor arrives as HTML and becomes Markdown by the server's own conversion where the page is Markdown.
 */
import type { Answers, SubmitResult, Visit } from "lectern/contracts";
import { ApiError, html, type InputObject } from "lectern/core";
import type { Source } from "./editor.ts";
import { type NamedTag, tagsIn } from "./fields.ts";

/** The fields of the editor's form. */
export interface EditorInput {
  readonly name: string;
  readonly source: Source;
  readonly content: string;
  readonly tags: NamedTag[];
}

/**
 * Reads the editor's form. The rich editor sends HTML; that of a page in Markdown is converted. Throws ApiError where the conversion
 * fails.
 */
export async function editorInput(visit: Visit): Promise<EditorInput> {
  const input = typedInput(visit);
  if (input.source === "html" || visit.text("written") !== "rich") return input;
  return { ...input, content: await markdownOf(visit, input.content) };
}

/** The same as it was sent. */
export function typedInput(visit: Visit): EditorInput {
  const source = visit.text("source") === "html" ? "html" : "markdown";
  // Browsers submit line breaks as CRLF.
  const content = visit.text("content").replaceAll("\r\n", "\n");
  return { name: visit.text("name"), source, content, tags: tagsIn(visit.input) };
}

/** HTML as Markdown. Throws ApiError where the conversion fails. */
export async function markdownOf(visit: Visit, content: string): Promise<string> {
  const sent = await visit.send("POST", "/api/exports/markdown", { html: content });
  if (sent.ok) return sent.body.markdown;
  throw new ApiError(sent.status, sent.message);
}

/** The fields of a draft, with what identifies it. */
interface DraftInput extends Omit<EditorInput, "tags"> {
  readonly tags: readonly NamedTag[];
  /** Distinguishes the drafts of new pages in the same place; "" for an existing page. */
  readonly slot: string;
  /** The updated_at of the draft that this one replaces; "" where there is none. */
  readonly keptAt: string;
  /** The revision that the text was merged with, which the draft is based on from now on; absent for any other text. */
  readonly merged?: MergeBase;
}

/** What a draft is based on: a revision of its page, with the tags of that time where they are known. */
export interface MergeBase {
  readonly base: number | undefined;
  readonly baseTags: readonly NamedTag[] | undefined;
}

/** What the form is based on. */
export function baseIn(visit: Visit): MergeBase {
  const base = Number(visit.text("base_revision"));
  return { base: Number.isInteger(base) && base > 0 ? base : undefined, baseTags: namedTags(visit.text("base_tags")) };
}

function namedTags(json: string): NamedTag[] | undefined {
  try {
    const sent: unknown = JSON.parse(json);
    return Array.isArray(sent) ? tagsIn({ tags: sent }) : undefined;
  } catch {
    return undefined;
  }
}

/** Saves a draft: the submitted form, or `form` where it was changed since. */
export async function saveDraft(
  visit: Visit,
  path: `/api/drafts/${string}/${number}`,
  form?: DraftInput,
): Promise<SubmitResult<Answers[`PUT /api/drafts/${string}/${number}`]>> {
  const sent = form ?? { ...(await editorInput(visit)), slot: visit.text("slot"), keptAt: visit.text("kept_at") };
  const { name, source, content, tags, slot, keptAt } = sent;
  const merged = form?.merged;
  const { base, baseTags } = merged ?? baseIn(visit);
  // What Markdown cannot hold stays beside it in the draft, until the writer has been shown what would be lost.
  const isRich = form === undefined && source === "markdown" && visit.text("written") === "rich";
  const body: InputObject = {
    name,
    [source]: content,
    ...(isRich ? { html: typedInput(visit).content } : {}),
    tags,
    ...(slot === "" ? {} : { slot }),
    kept_at: keptAt === "" ? "none" : keptAt,
    ...(base === undefined ? {} : { base_revision: base }),
    ...(baseTags === undefined ? {} : { base_tags: [...baseTags] }),
    ...(merged === undefined ? {} : { merged: true }),
  };
  return visit.send("PUT", path, body);
}

/** The rendered preview of a source, or the error as HTML; undefined for empty content. */
export async function previewOf(visit: Visit, source: Source, content: string): Promise<string | undefined> {
  if (content === "") return undefined;
  const sent = await visit.send("POST", "/api/drafts/preview", { [source]: content });
  if (sent.ok) return sent.body.html;
  return html`<p><strong>${Object.values(sent.errors).flat()[0] ?? sent.message}</strong></p>`.toString();
}
