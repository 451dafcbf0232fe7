/**
 * The small files that browsers and search engines ask for by their names: icons, the manifest of an installed site, the description of the
 * search for the address bar, and robots.txt. They hold the name of the instance and nothing of its content.
 */
import { join } from "node:path";
import { html, shippedFile } from "lectern/core";
import type { DiscoveryContext } from "./contract.ts";

/** An hour, within which a change of the name or of the choice is not seen. */
const CACHE = "public, max-age=3600";
/** Characters of a name that browsers show of a search. */
const MAX_SHORT = 16;
/** The colour of the icon. */
const COLOR = "#24527a";

/** Mounts the files. */
export function mountFiles({ app, baseUrl, chosen, root, sessions, system }: DiscoveryContext): void {
  const isPublic = { permit: "public" } as const;
  /** The shipped file, or the uploaded icon of that size. */
  const file = (name: string, type: string, side: Parameters<typeof system.icon>[0]) => {
    const answer = shippedFile(join(import.meta.dir, "public", name), type);
    app.site.get(
      `/${name}`,
      ({ request }) => {
        const uploaded = system.icon(side);
        if (uploaded === "") return answer(request.headers);
        return new Response(null, { status: 302, headers: { location: uploaded, "cache-control": CACHE } });
      },
      isPublic,
    );
  };
  file("favicon.ico", "image/x-icon", 32);
  file("icon_192.png", "image/png", 192);
  file("icon_512.png", "image/png", 512);
  const icon = (side: 192 | 512) => ({
    src: system.icon(side) || `${root}/icon_${side}.png`,
    sizes: `${side}x${side}`,
    type: "image/png",
  });
  const manifest = () =>
    JSON.stringify({
      name: system.name,
      short_name: system.name,
      id: `${root}/`,
      start_url: `${root}/`,
      scope: `${root}/`,
      display: "minimal-ui",
      theme_color: COLOR,
      background_color: "#ffffff",
      icons: [icon(192), icon(512)],
    });
  app.site.get("/manifest.json", () => answerOf(manifest(), "application/manifest+json"), isPublic);
  app.site.get(
    "/opensearch.xml",
    () => answerOf(searchDescription(system.name, baseUrl), "application/opensearchdescription+xml"),
    isPublic,
  );
  app.site.get(
    "/robots.txt",
    async () => {
      const { robots, sitemap } = await chosen();
      const guest = await sessions.guest();
      const isAllowed = robots === "allow" || (robots === "auto" && guest !== undefined);
      const lines = ["User-agent: *", isAllowed ? "Disallow:" : `Disallow: ${root}/`];
      if (isAllowed && sitemap && guest !== undefined) lines.push(`Sitemap: ${baseUrl}/sitemap.xml`);
      return answerOf(`${lines.join("\n")}\n`, "text/plain; charset=utf-8");
    },
    isPublic,
  );
}

function searchDescription(name: string, baseUrl: string): string {
  const short = Array.from(name).slice(0, MAX_SHORT).join("");
  return `<?xml version="1.0" encoding="UTF-8"?>
${html`<OpenSearchDescription xmlns="http://a9.com/-/spec/opensearch/1.1/"><ShortName>${short}</ShortName><Description>${name}</Description><InputEncoding>UTF-8</InputEncoding><Image height="32" width="32" type="image/x-icon">${baseUrl}/favicon.ico</Image><Url type="text/html" method="get" template="${baseUrl}/search?query={searchTerms}"/></OpenSearchDescription>`}
`;
}

/** An answer that any cache may keep. */
export function answerOf(text: string, type: string): Response {
  return new Response(text, {
    headers: { "content-type": type, "cache-control": CACHE, "x-content-type-options": "nosniff" },
  });
}
