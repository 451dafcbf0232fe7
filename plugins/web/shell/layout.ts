/**
 * The layout of every screen: header, menus, breadcrumbs, notices, footer. It is drawn from plain data, so that themes can replace header
 * and footer. Landmarks, skip link and dialog cannot be replaced, as scripts and screen readers rely on them.
 */
import type { Crumb, Ui } from "lectern/contracts";
import { directionOf, type Html, type HtmlPart, html, localeTag } from "lectern/core";
import { avatar } from "./avatar.ts";
import { KEYS_PATH } from "./keys.ts";
import { isolated } from "./ui.ts";

/** Data of the layout. */
export interface Frame {
  readonly title: string;
  readonly app: string;
  readonly logo: string;
  /** URL of the icon that administrators have uploaded; "" for the shipped one. */
  readonly icon: string;
  /** Links of the footer that administrators have added. */
  readonly links: readonly FooterLink[];
  readonly body: Html;
  readonly aside: Html | undefined;
  readonly crumbs: readonly Crumb[];
  readonly notice: string;
  readonly main: readonly Entry[];
  readonly settings: readonly Entry[];
  readonly account: readonly Entry[];
  /** What the palette offers on every screen beside the entries of the menus. */
  readonly palette: readonly Entry[];
  /** URLs of the files that every document loads. */
  readonly styles: readonly string[];
  readonly scripts: readonly string[];
  /** "light" or "dark" where the user chose one, else "". */
  readonly scheme: string;
  readonly search: boolean;
  /** Tells administrators that parts of plugins are missing. */
  readonly fault: Html | undefined;
  /** A style element of this document alone. */
  readonly style: HtmlPart;
  /** Further elements of the head, by plugins. */
  readonly head: HtmlPart;
  /** Markup of plugins at the end of the head. */
  readonly headEnd: HtmlPart;
  /** Parts of the footer, by plugins. */
  readonly footer: HtmlPart;
}

/** A link of the footer: an address, or a path of this instance. */
export interface FooterLink {
  readonly text: string;
  readonly url: string;
}

/** An entry of a menu. */
export interface Entry {
  readonly path: string;
  readonly text: string;
  readonly icon: string;
  readonly current: boolean;
  /** See `MenuEntry`. */
  readonly count?: string | undefined;
}

/** The parts of a document around its frame. */
export interface DocumentParts {
  readonly header: HtmlPart;
  readonly footer: HtmlPart;
  /** See `chosenAttributes` and `colorScheme`. */
  readonly chosenAttributes: HtmlPart;
  readonly colorScheme: HtmlPart;
  /** See `noticeOf`. */
  readonly notice: HtmlPart;
}

/** The attributes of the document for the scheme and the density that the user chose. */
export function chosenAttributes({ density, scheme }: { readonly density: string; readonly scheme: string }): HtmlPart {
  return html`${scheme !== "" && html` data-theme="${scheme}"`}${density !== "" && html` data-density="${density}"`}`;
}

/** The schemes that the document has. */
export function colorScheme(scheme: string): string {
  return scheme === "" ? "light dark" : scheme;
}

/** What the last form had to say; see `storeNotice`. */
export function noticeOf(notice: string, ui: Ui): HtmlPart {
  const [text = "", path = "", linkText = ""] = notice.split("\n");
  const link = /^\/(?![/\\])/.test(path) && html` <a href="${ui.url(path)}">${linkText}</a>`;
  return text !== "" && html`<p class="notice good" role="status">${ui.icon("check")} ${text}${link}</p>`;
}

/** The whole document around a screen. */
export function document(frame: Omit<Frame, "notice" | "scheme">, ui: Ui, parts: DocumentParts): Html {
  const { title, app, styles, scripts, body, aside, crumbs, style } = frame;
  const hasSide = aside !== undefined || frame.settings.length > 0;
  return html`<html lang="${localeTag(ui.language)}"${directionOf(ui.language) === "rtl" && html` dir="rtl"`}${parts.chosenAttributes}>
<head>
<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="${parts.colorScheme}">
<title>${title === app ? app : `${isolated(title)} · ${app}`}</title>
<link rel="icon" href="${frame.icon === "" ? ui.url("/web/assets/favicon.svg") : frame.icon}">
${frame.head}${styles.map((href) => html`<link rel="stylesheet" href="${href}">`)}${style}
${scripts.map((src) => html`<script src="${src}" defer></script>`)}
${frame.headEnd}</head>
<body>
<a class="skip" href="#main">${ui.t("Skip to content")}</a>
${parts.header}
<div class="frame${hasSide ? " with-side" : ""}">
${
  hasSide &&
  html`<div class="side">${aside ?? html`<nav aria-label="${ui.t("Settings")}"><details class="fold"><summary>${ui.t("Settings")}</summary><ul>${frame.settings.map((entry) => item(entry, ui))}</ul></details></nav>`}</div>`
}
<main id="main" tabindex="-1">
${crumbs.length > 0 && breadcrumbs(crumbs, ui)}
${frame.fault}
${parts.notice}
${body}
</main>
</div>
${parts.footer}
<dialog id="dialog" aria-label="${ui.t("Dialog")}"></dialog>
</body>
</html>`;
}

/**
 * The header: name, search, menu, account. Where there is no room for them in one row, search and menu are icons: a link to the search screen,
 * and a button that opens the menu as a popover, for which browsers need no script.
 */
export function header(frame: Frame, ui: Ui): Html {
  const { app, logo, main, account, search } = frame;
  return html`<header class="top">
<a class="brand" href="${ui.url("/")}">${logo === "" ? ui.icon("book") : html`<img src="${logo}" alt="" height="28">`} <span>${app}</span></a>
${
  search &&
  html`<form class="search" role="search" action="${ui.url("/search")}" method="get"${ui.serves(SUGGESTIONS) && html` data-suggestions="${ui.url(SUGGESTIONS)}" data-texts="${JSON.stringify(paletteTexts(frame, ui))}"`}>
<label class="unseen" for="q">${ui.t("Search")}</label>
<input id="q" type="search" name="query" placeholder="${ui.t("Search")}" autocomplete="off"></form>
<a class="top-button search-button" href="${ui.url("/search")}" aria-label="${ui.t("Search")}">${ui.icon("search")}</a>`
}
<button type="button" class="top-button menu-button" popovertarget="main-menu" aria-label="${ui.t("Menu")}">${ui.icon("menu")}</button>
<nav class="menu" id="main-menu" popover aria-label="${ui.t("Main menu")}"><ul>${main.map((entry) => item(entry, ui))}
${
  ui.isSignedIn
    ? html`<li><details class="dropdown"><summary>${ownPicture(ui)} <span>${ui.viewer.name}</span></summary>
<ul>${account.map((entry) => item(entry, ui))}
<li><form method="post" action="${ui.url("/logout")}"><button class="as-link">${ui.icon("sign_out")} ${ui.t("Sign out")}</button></form></li></ul></details></li>`
    : html`<li><a href="${ui.url("/login")}">${ui.icon("sign_in")} <span>${ui.t("Sign in")}</span></a></li>`
}</ul></nav>
</header>`;
}

function ownPicture({ url, viewer }: Ui): Html {
  const { name, picture } = viewer;
  return avatar({ name, url: picture === undefined ? undefined : url(picture) });
}

/** The path of what is suggested while somebody types. */
const SUGGESTIONS = "/search/suggestions";

/** The texts of `palette.js`, and what it offers on every screen. */
function paletteTexts({ palette }: Frame, ui: Ui) {
  const { t } = ui;
  return {
    label: t("Go to"),
    hint: t("Names, tags, actions"),
    actions: t("Actions"),
    everywhere: t("Search everywhere for “:query”"),
    waiting: t("Searching…"),
    failed: t("No suggestions: the server cannot be reached. Enter searches."),
    none: t("No suggestions"),
    found: t("Suggestions: :count"),
    close: t("Close"),
    icon: String(ui.icon("search")),
    entries: palette.map(({ path, text, icon }) => ({
      path: ui.url(path),
      text: t(text),
      icon: String(ui.icon(icon)),
    })),
  };
}

/** The footer. */
export function footer(frame: Frame, ui: Ui): Html {
  return html`<footer class="bottom"><small>${frame.app}${ui.serves("/api/docs") && html` · <a href="${ui.url("/api/docs")}">${ui.t("API")}</a>`}${ui.serves(KEYS_PATH) && html` · <a href="${ui.url(KEYS_PATH)}" data-dialog data-keys>${ui.t("Keyboard shortcuts")}</a>`}${frame.links.map(
    ({ text, url }) => html` · <a href="${url.startsWith("/") ? ui.url(url) : url}">${text}</a>`,
  )}</small> ${frame.footer}</footer>`;
}

/** The body of an error screen. */
export function errorBody({ status, message }: { status: number; message: string }, ui: Ui): Html {
  const { title, advice } = ERROR_TEXTS[status] ?? (status >= 500 ? FAILURE : OTHER);
  return html`<h1>${ui.t(title)}</h1>
<p>${message}</p>
${advice !== undefined && html`<p>${ui.t(advice)}</p>`}
${status === 404 && ui.serves("/api/search") && html`<form class="filters" aria-label="${ui.t("Search in all content")}" action="${ui.url("/search")}"><label>${ui.t("Search in all content")} <input type="search" name="query"></label><button>${ui.t("Search")}</button></form>`}
<p><a href="${ui.url("/")}">${ui.t("Back to the home page")}</a>${status === 403 && !ui.isSignedIn && html` · <a href="${ui.url("/login")}">${ui.t("Sign in")}</a>`}</p>`;
}

interface ErrorText {
  readonly title: string;
  /** What the user can do. */
  readonly advice?: string;
}

const ERROR_TEXTS: Readonly<Record<number, ErrorText>> = {
  403: {
    title: "Access denied",
    advice: "If you need access, contact an administrator.",
  },
  404: {
    title: "Not found",
    advice: "It may have been moved or deleted, or you may not have access to it.",
  },
  429: { title: "Too many requests", advice: "Wait a minute, then try again." },
  503: { title: "Temporarily unavailable", advice: "No data was lost. Wait a moment, then reload this page." },
};
const FAILURE: ErrorText = {
  title: "Something went wrong",
  advice: "The error is logged for the operators of this instance. Try again later.",
};
const OTHER: ErrorText = { title: "The request failed" };

function item({ path, text, icon, current, count }: Entry, ui: Ui): Html {
  return html`<li><a href="${ui.url(path)}"${current && html` aria-current="page"`}${count !== undefined && html` data-count="${ui.url(count)}"`}>${ui.icon(icon)} <span>${ui.t(text)}</span></a></li>`;
}

function breadcrumbs(crumbs: readonly Crumb[], ui: Ui): Html {
  return html`<nav class="crumbs" aria-label="${ui.t("Breadcrumbs")}"><ol>${crumbs.map(
    ({ text, path }) => html`<li>${path === undefined ? text : html`<a href="${ui.url(path)}">${text}</a>`}</li>`,
  )}</ol></nav>`;
}
