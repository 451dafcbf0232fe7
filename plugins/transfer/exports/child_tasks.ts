import type { ChildTask } from "lectern/core";
import { printable } from "./printable.ts";
import { convert, convertForEditing } from "./turndown.ts";

/** Tasks that exports run in child processes, by name. */
export const tasks = {
  toMarkdown: (html: string) => convert(html),
  toEditedMarkdown: (html: string) => convertForEditing(html),
  printable: (html: string) => printable(html),
} satisfies Record<string, ChildTask>;
