import type { ScreenFacts, ScreenHead, Ui } from "lectern/contracts";
import type { DiscoveryContext } from "./contract.ts";

/**
 * The head of every screen: the manifest, the search for the address bar, and what other sites show of a link. Previews are for who is not
 * signed in, as the programs that make them are; a screen that such a reader may not view is another one, of an error or of signing in, and
 * has none.
 */
export function discoveryHead({ baseUrl, runtime, system }: DiscoveryContext): ScreenHead {
  const search = { rel: "search", type: "application/opensearchdescription+xml", href: "/opensearch.xml" } as const;
  return {
    dependsOn: [],
    links: () => [
      { rel: "manifest", href: "/manifest.json" },
      ...(runtime.serves("GET", "/search") ? [{ ...search, title: system.name }] : []),
    ],
    meta({ path, preview, status, title }: ScreenFacts, ui: Ui) {
      if (!preview || status !== 200 || ui.isSignedIn) return {};
      const { description, image } = preview;
      return {
        "og:type": "article",
        "og:site_name": system.name,
        "og:title": title,
        "og:url": baseUrl + path,
        ...(description !== "" && { description, "og:description": description }),
        ...(image !== undefined && { "og:image": image }),
        "twitter:card": image === undefined ? "summary" : "summary_large_image",
      };
    },
  };
}
