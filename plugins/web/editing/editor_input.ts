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
}

/** Saves a draft: the submitted form, or `form` where it was changed since. */
export async function saveDraft(
  visit: Visit,
  path: `/api/drafts/${string}/${number}`,
  form?: DraftInput,
): Promise<SubmitResult<Answers[`PUT /api/drafts/${string}/${number}`]>> {
  const sent = form ?? { ...(await editorInput(visit)), slot: visit.text("slot"), keptAt: visit.text("kept_at") };
  const { name, source, content, tags, slot, keptAt } = sent;
  const base = Number(visit.text("base_revision"));
  // What Markdown cannot hold stays beside it in the draft, until the writer has been shown what would be lost.
  const isRich = form === undefined && source === "markdown" && visit.text("written") === "rich";
  const body: InputObject = {
    name,
    [source]: content,
    ...(isRich ? { html: typedInput(visit).content } : {}),
    tags,
    ...(slot === "" ? {} : { slot }),
    kept_at: keptAt === "" ? "none" : keptAt,
    ...(Number.isInteger(base) && base > 0 ? { base_revision: base } : {}),
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
