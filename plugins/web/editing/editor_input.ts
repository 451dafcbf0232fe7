import type { SubmitResult, Visit } from "lectern/contracts";
import { html, type InputObject } from "lectern/core";
import type { Drafts, Source } from "./editor.ts";
import { type NamedTag, tagsIn } from "./fields.ts";

/** What stands in the editor's form. */
export interface Typed {
  readonly name: string;
  readonly source: Source;
  readonly content: string;
  readonly tags: NamedTag[];
}

/** Reads the editor's form. */
export function typedIn(visit: Visit): Typed {
  const source = visit.text("source") === "html" ? "html" : "markdown";
  // Forms send lines as the mail of old did.
  const content = visit.text("content").replaceAll("\r\n", "\n");
  return { name: visit.text("name"), source, content, tags: tagsIn(visit.input) };
}

/** The same with what tells which draft it is. */
interface Form extends Omit<Typed, "tags"> {
  readonly tags: readonly NamedTag[];
  /** Tells a new page apart from others that are begun in the same place; "" for a change. */
  readonly slot: string;
  /** The updated_at of the draft that the form replaces; "" where none is known. */
  readonly keptAt: string;
}

/** Keeps what stands in the editor's form as a draft: as it was sent, or as `form` has it by now. */
export function keepTyped(
  visit: Visit,
  path: string,
  form: Form = { ...typedIn(visit), slot: visit.text("slot"), keptAt: visit.text("kept_at") },
): Promise<SubmitResult<{ draft: NonNullable<Drafts["draft"]> }>> {
  const { name, source, content, tags, slot, keptAt } = form;
  const base = Number(visit.text("base_revision"));
  const body: InputObject = {
    name,
    [source]: content,
    tags: tags as never,
    ...(slot === "" ? {} : { slot }),
    kept_at: keptAt === "" ? "none" : keptAt,
    ...(Number.isInteger(base) && base > 0 ? { base_revision: base } : {}),
  };
  return visit.send("PUT", path, body);
}

/** What a source looks like, or why that is not shown; undefined where there is nothing to look at. */
export async function previewOf(visit: Visit, source: Source, content: string): Promise<string | undefined> {
  if (content === "") return undefined;
  const sent = await visit.send<{ html: string }>("POST", "/api/drafts/preview", { [source]: content });
  if (sent.ok) return sent.body.html;
  return html`<p><strong>${Object.values(sent.errors).flat()[0] ?? sent.message}</strong></p>`.toString();
}
