import type { ChildTask } from "lectern/core";
import { decorate, type Labels } from "./decorate.ts";
import { compare } from "./difference.ts";
import { framed, frameSources } from "./frames.ts";

/** Content to be dressed. */
export interface DecorateTask {
  readonly html: string;
  readonly labels: Labels;
  /** Which documents may stand in frames: the setting, and the address that completes others. */
  readonly sources: readonly [setting: string, baseUrl: string];
}

/** What child processes do for screens, by name. */
export const tasks = {
  decorate: ({ html, labels, sources: [setting, baseUrl] }: DecorateTask) =>
    decorate(html, labels, { ...frameSources(setting, baseUrl), framed }),
  compare: ({ before, after }: { before: string; after: string }) => compare(before, after),
} satisfies Record<string, ChildTask>;
