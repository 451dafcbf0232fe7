import type { ChildTask } from "lectern/core";
import { printable } from "./printable.ts";
import { convert } from "./turndown.ts";

/** What child processes do for exports, by name. */
export const tasks = {
  toMarkdown: (html: string) => convert(html),
  printable: (html: string) => printable(html),
} satisfies Record<string, ChildTask>;
