import { markdownSlots } from "lectern/contracts";
import { definePlugin, sharedLimits, t } from "lectern/core";
import type { Marked } from "marked";
import type { MarkupContext } from "./contract.ts";
import { includeLimits } from "./includes.ts";
import { maxContentBytes, maxContentElements, maxHookedBytes, maxIncludedBytes, maxIncludes } from "./limits.ts";
import { newConverter } from "./marked_converter.ts";
import { createMarkup } from "./markup.ts";
import { offload } from "./offload.ts";
import { contributeThemeHooks } from "./theme_hooks.ts";

/** Provides the contract `markup`: storing, rendering and sanitising HTML and Markdown (content-api 9). */
export default definePlugin({
  name: "markup",
  provides: ["markup"],
  settings: t.Object({
    maxTextBytes: sharedLimits.maxTextBytes,
    maxContentBytes: t.Integer({
      default: maxContentBytes,
      minimum: 1_000,
      constant: true,
      times: { of: "maxTextBytes", by: 0.25 },
      description: "Bytes of a page's HTML or Markdown, without embedded images; 422 beyond",
    }),
    maxContentElements: t.Integer({
      default: maxContentElements,
      minimum: 100,
      maximum: 500_000,
      constant: true,
      description: "Elements of a page; 422 beyond. Browsers show longer pages badly",
    }),
    maxHookedBytes: t.Integer({
      default: maxHookedBytes,
      minimum: 1_000,
      maximum: 100_000_000,
      constant: true,
      description:
        "Bytes of Markdown if a plugin or theme changes its converter, which then blocks the server; 422 beyond",
    }),
    maxIncludes: t.Integer({
      default: maxIncludes,
      minimum: 0,
      maximum: 10_000,
      constant: true,
      description:
        "Include tags of a page that are resolved, including those in included pages, since each is a read; others are left out",
    }),
    maxIncludedBytes: t.Integer({
      default: maxIncludedBytes,
      minimum: 0,
      maximum: 100_000_000,
      constant: true,
      description:
        "Bytes of HTML that a page may include, about what a browser shows at once; includes beyond that are left out",
    }),
  }),
  slots: markdownSlots,
  setup({ children, contribute, provide, settings, slot, texts }) {
    let changed: Marked | undefined;
    // Called after the boot only, when all contributions are there.
    const converter = () => {
      const hooks = slot("markdown_converter");
      if (hooks.length === 0) return undefined;
      changed ??= hooks.reduce((marked, hook) => hook.configure(marked) ?? marked, newConverter());
      return changed;
    };
    const includeBudget = { maxIncludes: settings.maxIncludes, maxBytes: settings.maxIncludedBytes };
    const context: MarkupContext = {
      children,
      limits: { maxBytes: settings.maxContentBytes, maxElements: settings.maxContentElements },
      converter,
      maxHookedBytes: settings.maxHookedBytes,
      includes: () => includeLimits(includeBudget, (text, params) => texts.say(text, params, texts.language())),
    };
    contributeThemeHooks({ contribute });
    provide("markup", offload(createMarkup(context), context));
  },
});
