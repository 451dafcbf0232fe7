/**
 * The documents around screens, and their Content-Security-Policy. A screen that says what it is drawn from is kept with the document around
 * it, cut where requests have parts of their own: the nonce, the notice, the header with the name of the reader, and what plugins
 * add without saying what it follows from. Other screens are drawn for each request. Both may be kept by browsers (`revalidation.ts`).
 */
import type {
  DrawnFor,
  DrawnScreen,
  MenuEntry,
  MenuName,
  Screen,
  ScreenFacts,
  ScreenHead,
  Ui,
  Visit,
} from "lectern/contracts";
import { type Html, type HtmlPart, html, htmlResponse, randomText } from "lectern/core";
import { faultNotice, shownEntries } from "./added_parts.ts";
import type { ShellContext } from "./contract.ts";
import { Filled, withoutNonce } from "./drawing.ts";
import { drawingOf, type KeptDrawings } from "./drawings.ts";
import { HeadMarkup } from "./head_markup.ts";
import { chosenAttributes, colorScheme, document, type Entry, type Frame, noticeOf } from "./layout.ts";
import type { OwnParts, Recording } from "./recording.ts";
import { entityTag, keepable, unchanged } from "./revalidation.ts";
import { answersAndText, type ScreenData } from "./screen_data.ts";
import { type HeadExtras, headExtras } from "./screen_extras.ts";
import type { ScreenParts } from "./screen_parts.ts";
import { SentDocuments } from "./sent_documents.ts";
import type { Views } from "./views.ts";

/** Dependencies of `Documents`. */
export interface DocumentOptions {
  readonly context: ShellContext;
  readonly kept: KeptDrawings;
  /** What plugins add, such as the entries of menus. */
  readonly parts: ScreenParts;
  readonly views: Pick<Views, "isDeclared">;
  /** The value of `frame-src`. */
  readonly frameSources: string;
  /** What administrators may change. */
  facts(): Pick<Frame, "app" | "icon" | "logo" | "links">;
  /** URLs of the files that every document loads; complete once the runtime has booted. */
  styles(): readonly string[];
  scripts(): readonly string[];
  heads(): readonly ScreenHead[];
  /** The parts of the footer that plugins add. */
  footer(facts: ScreenFacts, reader: Visit | DrawnFor): Promise<HtmlPart>;
  header: (frame: Frame, ui: Ui) => HtmlPart;
  bottom: (frame: Frame, ui: Ui) => HtmlPart;
}

/** A screen with the key of what is kept of it. */
export interface NamedScreen {
  readonly name: string;
  readonly screen: DrawnScreen<ScreenData>;
}

/** What the document of a kept screen is known by. */
interface DocumentFacts extends ScreenFacts {
  readonly style: string | undefined;
  /** CSS of heads that say what they follow from. */
  readonly css: string;
  /** Whether other heads are asked at each request. */
  readonly isHeadOpen: boolean;
}

/** A request for a document. */
interface Request extends Pick<OwnParts, "visit" | "notice"> {
  /** Whether browsers may keep it. */
  readonly isKeepable?: boolean;
}

/** The documents of one runtime. */
export class Documents {
  readonly #options: DocumentOptions;
  readonly #sent = new SentDocuments();
  readonly #headMarkup: HeadMarkup;

  constructor(options: DocumentOptions) {
    this.#options = options;
    this.#headMarkup = new HeadMarkup(options.context);
  }

  /** The answer with a screen that is drawn for this request. */
  async drawn(screen: Screen, request: Request): Promise<Response> {
    const { bottom, footer, header, heads } = this.#options;
    const { visit, notice } = request;
    const { ui } = visit;
    const facts = factsOf(screen, pathOf(visit.request.url));
    const { head, css } = headExtras(heads(), facts, ui);
    const own = this.#ownParts(request, { ...facts, style: screen.style }, { head, css });
    const frame = { ...this.#frame(screen, facts, ui), ...this.#ownFrame(own), footer: await footer(facts, visit) };
    const body = document(frame, ui, {
      header: header(frame, ui),
      footer: bottom(frame, ui),
      chosenAttributes: chosenAttributes(own),
      colorScheme: colorScheme(own.scheme),
      notice: noticeOf(notice, ui),
    });
    return this.#answer(body, facts, own, request);
  }

  /** The answer with a screen that is kept with what it is drawn from. */
  async kept({ name, screen }: NamedScreen, data: ScreenData, request: Request): Promise<Response> {
    const { heads, kept } = this.#options;
    const { visit } = request;
    const { answers, text } = answersAndText(data);
    const path = pathOf(visit.request.url);
    const found = drawingOf<DocumentFacts>(kept, {
      answers,
      key: `${this.#settings()} ${name} ${path} ${text}`,
      visit,
      draw: async (reader, recording) => this.#draw(await screen.draw(data, reader), { path, reader }, recording),
    });
    const { drawing, facts } = found instanceof Promise ? await found : found;
    const extras = facts.isHeadOpen ? headExtras(heads(), facts, visit.ui) : { head: "", css: facts.css };
    const own = this.#ownParts(request, facts, extras);
    const filled = drawing.filled(own);
    return this.#answer(filled instanceof Promise ? await filled : filled, facts, own, request);
  }

  /** Draws the document of a screen to be kept. */
  async #draw(screen: Screen, { path, reader }: { path: string; reader: DrawnFor }, recording: Recording) {
    const { bottom, footer, heads, views } = this.#options;
    const { ui } = reader;
    const facts = factsOf(screen, path);
    const isHeadOpen = !heads().every((each) => recording.covers(each, undefined));
    const { head, css } = isHeadOpen
      ? { head: recording.leave((own) => own.head), css: "" }
      : headExtras(heads(), facts, ui);
    const base = { ...this.#frame(screen, facts, ui), footer: await footer(facts, reader) };
    const shared = withoutContent(base);
    const frameFor = (own: OwnParts): Frame => ({ ...shared, ...this.#ownFrame(own) });
    const frame = {
      ...base,
      fault: html`${recording.leave((own) => this.#fault(own.ui))}`,
      style: recording.leave(styleOf),
      head,
      headEnd: recording.leave((own) => this.#headEndOf(own)),
    };
    const body = document(frame, ui, {
      header: recording.leave((own) => this.#header(facts.here, frameFor, own)),
      footer: views.isDeclared("layout/footer")
        ? bottom(noting({ ...frame, notice: "", scheme: "" }, recording, ["notice", "scheme"]), ui)
        : recording.leave((own) => bottom(frameFor(own), own.ui)),
      chosenAttributes: recording.leave(chosenAttributes),
      colorScheme: recording.leave((own) => colorScheme(own.scheme)),
      notice: recording.leave((own) => noticeOf(own.notice, own.ui)),
    });
    const { preview, status, title } = facts;
    return {
      markup: `<!doctype html>\n${body}`,
      facts: { path, status, title, preview, style: screen.style, css, isHeadOpen },
    };
  }

  /** The header of a document, which is kept for its reader. */
  #header(here: string, frameFor: (own: OwnParts) => Frame, own: OwnParts) {
    const { header, kept, views } = this.#options;
    if (!views.isDeclared("layout/header")) return header(frameFor(own), own.ui);
    const found = drawingOf<undefined>(kept, {
      answers: [],
      key: `${this.#settings()} header ${here}`,
      visit: own.visit,
      draw: async ({ ui }, recording) => {
        const whole = { ...frameFor(own), ...this.#menus(here, ui), footer: NOTHING };
        const frame = noting(whole, recording, OF_DOCUMENT);
        return { markup: html`${header(frame, ui)}`.toString(), facts: undefined };
      },
    });
    return found instanceof Promise ? found.then(({ drawing }) => drawing.filled(own)) : found.drawing.filled(own);
  }

  /** What is drawn of the settings of the instance: documents and headers show some of them. */
  #settings(): string {
    return this.#options.context.contracts.instance_settings.version();
  }

  /** What a request has of its own in a document. */
  #ownParts({ visit, notice }: Request, { style }: Pick<DocumentFacts, "style">, { head, css }: HeadExtras): OwnParts {
    const whole = style === undefined && css === "" ? undefined : `${style ?? ""}${css}`;
    const nonce =
      whole === undefined && !this.#headMarkup.isOn(pathOf(visit.request.url)) ? "" : randomText(NONCE_LENGTH);
    const cookies = visit.request.headers.get("cookie") ?? "";
    const scheme = SCHEME.exec(cookies)?.[1] ?? "";
    const density = DENSITY.exec(cookies)?.[1] ?? "";
    return { visit, ui: visit.ui, nonce, scheme, density, notice, css: whole, head };
  }

  /** The members of a frame that a request has of its own. */
  #ownFrame(own: OwnParts): Pick<Frame, "notice" | "scheme" | "fault" | "style" | "head" | "headEnd"> {
    const { head, notice, scheme, ui } = own;
    return { notice, scheme, head, fault: this.#fault(ui), style: styleOf(own), headEnd: this.#headEndOf(own) };
  }

  /** Drawn once for a request, also where the document is drawn and filled for it. */
  #headEndOf(own: OwnParts): HtmlPart {
    const drawn = this.#headEnds.get(own) ?? this.#headMarkup.drawn(pathOf(own.visit.request.url), own.nonce);
    this.#headEnds.set(own, drawn);
    return drawn;
  }

  readonly #headEnds = new WeakMap<OwnParts, HtmlPart>();

  #fault(ui: Ui): Frame["fault"] {
    return faultNotice(this.#options.context.runtime.faults(), ui);
  }

  /** The answer with a document, or that the browser has it. */
  #answer(
    body: Html | Filled,
    { status }: Pick<ScreenFacts, "status">,
    { nonce, visit }: OwnParts,
    { isKeepable = false }: Request,
  ): Response {
    const isKept = body instanceof Filled && nonce === "";
    const isTagged = isKeepable && status === OK;
    const etag = isKept || isTagged ? this.#entityTag(body, nonce, visit) : "";
    const known = isTagged ? unchanged(visit.request, etag) : undefined;
    if (known) return known;
    const response = isKept
      ? htmlResponse(
          this.#sent.take(etag, () => body.bytes()),
          status,
          { isKept },
        )
      : htmlResponse(body instanceof Filled ? body.bytes() : body, status);
    response.headers.set("content-security-policy", this.#policy(nonce, visit));
    response.headers.set("x-frame-options", "DENY");
    if (isTagged) keepable(response, etag);
    return response;
  }

  #entityTag(body: Html | Filled, nonce: string, visit: Visit): string {
    const tag = body instanceof Filled ? body.tag(nonce) : withoutNonce(body.toString(), nonce);
    return entityTag({ tag, policy: this.#policy("", visit), reader: visit.viewer.id });
  }

  /** The nonce allows a style element of the screen, and the scripts and styles that plugins add to the head. */
  #policy(nonce: string, visit: Visit): string {
    const styles = nonce === "" ? "'self'" : `'self' 'nonce-${nonce}'`;
    const scripts = this.#headMarkup.isOn(pathOf(visit.request.url)) ? `script-src ${styles}; ` : "";
    return `default-src 'self'; ${scripts}style-src ${styles}; img-src 'self' data: https: http:; media-src 'self' https:; frame-src ${this.#options.frameSources}; object-src 'none'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'`;
  }

  #frame(screen: Screen, { here }: { readonly here: string }, ui: Ui) {
    const { facts, styles, scripts } = this.#options;
    const menus = this.#menus(here, ui);
    return {
      ...facts(),
      ...menus,
      title: screen.title,
      body: screen.body,
      aside: screen.aside,
      crumbs: screen.crumbs ?? [],
      settings: screen.aside ? [] : menus.settings,
      styles: styles(),
      scripts: [...scripts(), ...(screen.scripts ?? [])],
    };
  }

  #menus(here: string, ui: Ui): Pick<Frame, "main" | "settings" | "account" | "palette" | "search"> {
    const entries = (menu: MenuName): Entry[] =>
      shownEntries(this.#options.parts.menu(menu, ui), (entry) => isServed(entry, ui)).map(
        ({ path, text, icon, count }) => ({
          ...{ path, text, icon, count },
          current: here === path || here.startsWith(`${path}/`),
        }),
      );
    const main = entries("menu/main");
    const settings = entries("menu/settings");
    const account = entries("menu/account");
    const isIn = (list: Entry[]) => list.some(({ current }) => current);
    return {
      main: [
        ...main,
        ...(settings[0]
          ? [{ path: settings[0].path, text: "Settings", icon: "settings", current: isIn(settings) }]
          : []),
      ],
      settings: isIn(settings) ? settings : isIn(account) ? account : [],
      account,
      palette: entries("menu/palette"),
      search: [...main, ...settings, ...account].some(({ path }) => path === "/search"),
    };
  }
}

/** Whether a menu entry leads to a screen, and the plugin behind that screen is installed. */
function isServed({ path, needs }: MenuEntry, ui: Ui): boolean {
  return ui.serves(path) && (needs === undefined || ui.serves(needs));
}

function factsOf({ menu, preview, status = 200, title }: Screen, path: string) {
  return { title, path, status, preview, here: menu ?? path };
}

function styleOf({ css, nonce, ui }: OwnParts): HtmlPart {
  return css !== undefined && html`<style nonce="${nonce}">${ui.raw(css)}</style>`;
}

/** The path of an absolute URL. */
function pathOf(url: string): string {
  const start = url.indexOf("/", url.indexOf("://") + "://".length);
  const end = url.indexOf("?", start);
  return end < 0 ? url.slice(start) : url.slice(start, end);
}

const NOTHING = html``;

/** A frame to be kept beside the markup of its document. */
function withoutContent<Kept extends Pick<Frame, "body" | "aside">>(frame: Kept): Kept {
  return { ...frame, body: NOTHING, aside: frame.aside && NOTHING };
}

/** A frame whose members of a request or a screen keep what is drawn of them from being kept. */
function noting(frame: Frame, recording: Recording, names: readonly (keyof Frame)[]): Frame {
  const members = names.map((name) => {
    const get = () => {
      recording.isKept = false;
      return frame[name];
    };
    return [name, { enumerable: true, get }];
  });
  return Object.defineProperties({ ...frame }, Object.fromEntries(members));
}

/** The members of a frame that differ between the documents of one reader with the same menus. */
const OF_DOCUMENT: readonly (keyof Frame)[] = [
  ...(["title", "body", "aside", "crumbs", "notice", "settings", "scripts", "scheme"] as const),
  ...(["fault", "style", "head", "headEnd", "footer"] as const),
];
/** Characters of a nonce, about six bits each; the Content-Security-Policy wants 128 bits. */
const NONCE_LENGTH = 32;
const OK = 200;
const SCHEME = /(?:^|;\s*)lectern_scheme=(light|dark)(?:;|$)/;
const DENSITY = /(?:^|;\s*)lectern_density=(compact)(?:;|$)/;
