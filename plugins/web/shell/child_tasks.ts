import type { ChildTask } from "lectern/core";
import { decorate, type Labels } from "./decorate.ts";
import { framed, frameSources } from "./frames.ts";
import type { Pictures } from "./page_pictures.ts";

/** A task that decorates content. */
export interface DecorateTask {
  readonly html: string;
  readonly labels: Labels;
  /** Origins that may be framed: the setting, and the base of relative URLs. */
  readonly sources: readonly [setting: string, baseUrl: string];
  readonly pictures: Pictures;
}

/** Tasks of child processes, by name. */
export const tasks = {
  decorate: ({ html, labels, sources: [setting, baseUrl], pictures }: DecorateTask) =>
    decorate(html, labels, { frames: { ...frameSources(setting, baseUrl), framed }, pictures }),
} satisfies Record<string, ChildTask>;
