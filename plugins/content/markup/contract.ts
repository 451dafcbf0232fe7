import type { Children } from "lectern/core";
import type { Marked } from "marked";
import type { ContentLimits } from "./check_size.ts";
import type { IncludeLimits } from "./includes.ts";

/** What the files of this plugin share. */
export interface MarkupContext {
  readonly children: Children;
  readonly limits: ContentLimits;
  /** The Markdown converter that plugins or themes have changed; undefined if none has. Known once the runtime has booted. */
  readonly converter: () => Marked | undefined;
  /** Maximum bytes of Markdown for a changed converter. */
  readonly maxHookedBytes: number;
  readonly includes: () => IncludeLimits;
}
