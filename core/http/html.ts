/**
 * Markup that needs no escaping any more: made by `html`, or vouched for by `raw`.
 * @example
 * const item = (name: string): Html => html`<li>${name}</li>`;
 */
export class Html {
  readonly #text: string;
  constructor(text: string) {
    this.#text = text;
  }
  toString(): string {
    return this.#text;
  }
}

/** What may stand in a hole of an `html` template: nothing, text (escaped), finished markup, or a list of these. */
export type HtmlPart = string | number | boolean | null | undefined | Html | readonly HtmlPart[];

/**
 * Template tag that escapes every hole; false, null and undefined leave nothing behind.
 * @example
 * html`<p title="${"a & b"}">${["one", html`<b>two</b>`]}</p>`; // <p title="a &amp; b">one<b>two</b></p>
 */
export function html(strings: TemplateStringsArray, ...parts: readonly HtmlPart[]): Html {
  return new Html(String.raw({ raw: strings }, ...parts.map(textOf)));
}

/**
 * Vouches for text as finished markup. Never hand it anything a user wrote.
 * @example
 * html`<p>${raw("&hellip;")}</p>`; // <p>&hellip;</p>
 */
export function raw(text: string): Html {
  return new Html(text);
}

/**
 * A response with an HTML document and a policy that lets it load only what this server serves.
 * @example
 * context.site.get("/notes/help", () => htmlResponse(html`<title>Help</title><p>Notes`), { permit: "public" });
 */
export function htmlResponse(body: Html, status = 200): Response {
  return new Response(`<!doctype html>\n${body}`, {
    status,
    headers: {
      "content-type": "text/html; charset=UTF-8",
      "content-security-policy": "default-src 'self'; img-src 'self' data:; frame-ancestors 'none'; base-uri 'none'",
    },
  });
}

function textOf(part: HtmlPart): string {
  if (part === null || part === undefined || typeof part === "boolean") return "";
  if (part instanceof Html) return part.toString();
  if (Array.isArray(part)) return part.map(textOf).join("");
  return Bun.escapeHTML(String(part));
}
