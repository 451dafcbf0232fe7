/**
 * Slots that change content: the HTML of pages, and the conversion of Markdown. A page's HTML is changed at three moments: when it is
 * stored, when it is rendered, which clients of the API see, too, and where people read it.
 */
import { deepFreeze, type SlotSpecs, type TableDependency, type Viewer } from "lectern/core";
import type { Marked } from "marked";

/** A function of a hook: it returns a replacement, or undefined to keep the value. */
type Answer<T> = T | undefined | Promise<T | undefined>;

/** A page as its hooks get it. */
export interface HookedPage {
  readonly id: number;
}

/** A page in front of a reader. */
export interface ShownPage {
  /** As the API answers it. */
  readonly html: string;
  /** Its source; "" where it is written in HTML. */
  readonly markdown: string;
  /** Where it is shown: on a screen, which adapts it afterwards, or in a file. */
  readonly target: "screen" | "export";
  /** Whom the work is counted for. */
  readonly viewer: Pick<Viewer, "id">;
}

/**
 * Changes a page's content when it is stored or shown. Functions return other HTML, or undefined to keep it.
 * @example
 * context.contribute("page_content", {
 *   postRender: (shown) => shown.replaceAll("(c)", "©"),
 *   dependsOn: [],
 * });
 */
export interface PageContentHook {
  /** After ids are set, before anything is derived from the HTML. */
  readonly preStore?: (html: string, page: HookedPage) => Answer<string>;
  /** After includes and the filter; its result is not filtered again. */
  readonly postRender?: (html: string, page: HookedPage) => Answer<string>;
  /** The HTML in place of an include tag, filtered afterwards. */
  readonly include?: (
    reference: string,
    html: string,
    page: HookedPage,
    referenced: HookedPage | null,
  ) => Answer<string>;
  /**
   * After all others, where people read the page: on screens and in exports as HTML and PDF. The API does not have it. The result follows
   * from `html`, `markdown` and `target` alone, and is not filtered again.
   */
  readonly show?: (page: ShownPage) => Answer<string>;
  /**
   * The tables that `postRender` and `include` read, with the column of the page's id; empty where they follow from their arguments
   * alone. Pages are then cached until one of them changes; without this member they are not cached.
   */
  readonly dependsOn?: readonly TableDependency[];
}

/**
 * Configures the Markdown converter, once: changes it or returns another.
 * @example
 * context.contribute("markdown_converter", {
 *   configure: (converter) => converter.setOptions({ breaks: true }),
 * });
 */
export interface MarkdownConverterHook {
  readonly configure: (converter: Marked) => Marked | undefined;
}

/**
 * A page's HTML in front of a reader: what the functions `show` of the slot `page_content` make of it, one after another.
 * @example
 * const page = { html: "<p>$a$</p>", markdown: "$a$", target: "export", viewer: SYSTEM } as const;
 * const html = await shownContent(context.slot("page_content"), page);
 */
export async function shownContent(hooks: readonly PageContentHook[], page: ShownPage): Promise<string> {
  let { html } = page;
  for (const { show } of hooks) html = (await show?.({ ...page, html })) ?? html;
  return html;
}

declare module "lectern/core" {
  interface Slots {
    markdown_converter: MarkdownConverterHook;
    page_content: PageContentHook;
  }
}

/** What is known of these slots beside their types. */
export const markdownSlots = deepFreeze({
  markdown_converter: { members: { configure: "function" } },
} as const satisfies SlotSpecs);

/** What is known of these slots beside their types. */
export const pageContentSlots = deepFreeze({
  page_content: {
    members: {
      preStore: "optional_function",
      postRender: "optional_function",
      include: "optional_function",
      show: "optional_function",
      dependsOn: "optional_list",
    },
  },
} as const satisfies SlotSpecs);
