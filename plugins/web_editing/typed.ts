import type { Visit } from "lectern/core";
import type { Source } from "./editor.ts";
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

/** What a source looks like; undefined where there is nothing to look at. */
export async function previewOf(visit: Visit, source: Source, content: string): Promise<string | undefined> {
  if (content === "") return undefined;
  const sent = await visit.send<{ html: string }>("POST", "/api/drafts/preview", { [source]: content });
  return sent.ok ? sent.body.html : undefined;
}
