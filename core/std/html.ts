import { asKept, wholeResponse } from "./one_write.ts";

/**
 * Escaped markup, made by `html` or `raw`.
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

/** A value in an `html` template: text, which is escaped, markup, a list of values, or nothing. */
export type HtmlPart = string | number | boolean | null | undefined | Html | readonly HtmlPart[];

/**
 * A template tag that escapes every value; booleans, null and undefined are left out.
 * @example
 * html`<p title="${"a & b"}">${["one", html`<b>two</b>`]}</p>`; // <p title="a &amp; b">one<b>two</b></p>
 */
export function html(strings: TemplateStringsArray, ...parts: readonly HtmlPart[]): Html {
  let text = strings[0] ?? "";
  for (let at = 0; at < parts.length; at++) text += textOf(parts[at]) + strings[at + 1];
  return new Html(text);
}

/**
 * Marks text as markup, without escaping. Never call it with input of users.
 * @example
 * html`<p>${raw("&hellip;")}</p>`; // <p>&hellip;</p>
 */
export function raw(text: string): Html {
  return new Html(text);
}

/** Features of browsers that no screen uses: neither scripts in a document nor the frames in it can request them. */
const DENIED_FEATURES = [
  "camera",
  "display-capture",
  "geolocation",
  "hid",
  "microphone",
  "midi",
  "payment",
  "serial",
  "usb",
] as const;
/** Names of features that a browser does not know would be reported in its console, so only common ones are listed. */
const PERMISSIONS_POLICY = DENIED_FEATURES.map((name) => `${name}=()`).join(", ");

/**
 * An answer with an HTML document, or with the bytes of a whole one. Its Content-Security-Policy allows resources of this server only, its Permissions-Policy denies
 * camera, microphone, location and the like to the document and its frames, and its Cross-Origin-Opener-Policy separates it
 * from windows of other origins. `isKept`: the same bytes are sent again, so their compressed form is kept with them.
 * @example
 * context.app.site.get("/notes/help", () => htmlResponse(html`<title>Help</title><p>Notes`), { permit: "public" });
 */
export function htmlResponse(
  body: Html | Uint8Array<ArrayBuffer>,
  status = 200,
  { isKept = false }: { readonly isKept?: boolean } = {},
): Response {
  const content = body instanceof Html ? `<!doctype html>\n${body}` : body;
  const response = wholeResponse(content, {
    status,
    headers: {
      "content-type": "text/html; charset=UTF-8",
      "content-security-policy":
        "default-src 'self'; img-src 'self' data:; object-src 'none'; frame-ancestors 'none'; base-uri 'none'",
      "cross-origin-opener-policy": "same-origin",
      "permissions-policy": PERMISSIONS_POLICY,
      "referrer-policy": "same-origin",
    },
  });
  return isKept ? asKept(response) : response;
}

function textOf(part: HtmlPart): string {
  if (part === null || part === undefined || typeof part === "boolean") return "";
  if (part instanceof Html) return part.toString();
  if (Array.isArray(part)) {
    let text = "";
    for (const each of part) text += textOf(each);
    return text;
  }
  return Bun.escapeHTML(String(part));
}
