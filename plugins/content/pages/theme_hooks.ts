/** Theme hooks of the content of pages, which are contributions to the slot `page_content`. */
import type { PageContentHook } from "lectern/contracts";
import type { PluginContext } from "lectern/core";

/** Contributes the hooks. */
export function contributeThemeHooks({ contribute }: Pick<PluginContext, "contribute">): void {
  contribute("theme_hook", {
    name: "page_content_pre_store",
    attach: (preStore, theme) => theme.contribute("page_content", { preStore }),
  });
  contribute("theme_hook", {
    name: "page_content_post_render",
    attach: (postRender, theme) => theme.contribute("page_content", { postRender }),
  });
  contribute("theme_hook", {
    name: "page_include_parse",
    attach: (include, theme) => theme.contribute("page_content", { include }),
  });
}

declare module "lectern/core" {
  interface ThemeHooks {
    /** After ids are set, before anything is derived from the HTML. */
    page_content_pre_store: NonNullable<PageContentHook["preStore"]>;
    /** After includes and the filter; its result is not filtered again. */
    page_content_post_render: NonNullable<PageContentHook["postRender"]>;
    /** The HTML in place of an include tag, filtered afterwards. */
    page_include_parse: NonNullable<PageContentHook["include"]>;
  }
}
