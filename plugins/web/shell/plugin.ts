/**
 * The foundation of the web interface: documents, menus, components, views that themes can replace, sign-in. Other plugins
 * provide the screens through the contract `web`. Screens have no rules of their own: they call the API within the process on the
 * user's behalf, so the rules of API clients apply.
 */
import type { Web } from "lectern/contracts";
import { itemReaderSlots, pagePictureSlots, screenSlots, shownContent } from "lectern/contracts";
import { chosenLanguage, definePlugin, type InputObject, isOperatorsOwn, t, trimEndChars } from "lectern/core";
import { mountAssets } from "./assets.ts";
import { avatar } from "./avatar.ts";
import { mountColors } from "./colors.ts";
import * as components from "./components.ts";
import { difference } from "./difference.ts";
import { Documents } from "./documents.ts";
import { figuresAt } from "./figures.ts";
import { DEFAULT_SOURCES, framed, frameSources } from "./frames.ts";
import { type Icons, readIcons, warnOfUnknownIcons } from "./icons.ts";
import { mountKeys } from "./keys.ts";
import { decorator } from "./large_content.ts";
import { errorBody, footer, header } from "./layout.ts";
import { LOOK_SETTINGS } from "./look_settings.ts";
import { pendingFormBody } from "./pending_form.ts";
import { ScreenPlaces } from "./places.ts";
import { PluginIcons } from "./plugin_icons.ts";
import { declaredOf, readerOf } from "./recording.ts";
import renamedTexts from "./renamed_texts.json" with { type: "json" };
import { screenScope } from "./route_scope.ts";
import { checkHeads } from "./screen_extras.ts";
import { ScreenParts } from "./screen_parts.ts";
import { Screens } from "./screens.ts";
import { mountSignIn } from "./sign_in.ts";
import { contributeThemeHooks } from "./theme_hooks.ts";
import { toolbarAt } from "./toolbars.ts";
import { createUi } from "./ui.ts";
import { Views } from "./views.ts";

const PAGE_SIZE = 30;
/** Pixels of the icon of a document: browsers show it at half of that and at the whole. */
const ICON_SIDE = 32;

export default definePlugin({
  name: "web",
  requires: ["instance_settings", "mail", "sessions", "system"],
  provides: ["web"],
  grants: { auth: true },
  settings: t.Object({
    frameSources: t.String({
      default: DEFAULT_SOURCES,
      env: "ALLOWED_IFRAME_SOURCES",
      description: "Origins that pages may embed in frames, separated by spaces; * for all",
    }),
  }),
  slots: { ...itemReaderSlots, ...pagePictureSlots, ...screenSlots },
  setup(context) {
    const { baseUrl, contracts, log, on, onStart, provide, routeScope, slot, texts } = context;
    texts.rename(renamedTexts);
    const { origin, pathname } = new URL(baseUrl);
    const root = trimEndChars(pathname, "/");
    const shared = { ...context, origin, root };
    const frames = { ...frameSources(context.settings.frameSources, baseUrl), framed };
    const decorate = decorator({
      children: context.children,
      frames,
      sources: [context.settings.frameSources, baseUrl],
      pictures: () => slot("page_pictures"),
    });
    // The slots are complete once all plugins are set up.
    let read: Icons | undefined;
    const contributedIcons = () => {
      read ??= readIcons(slot("screen_icon"));
      return read;
    };
    const icons = new PluginIcons(contributedIcons);
    const parts = new ScreenParts(() => slot("screen_part"));
    const views = new Views({ parts, replacements: () => slot("view_replacement") });
    const places = new ScreenPlaces(parts);
    places.add(["screen/footer"]);
    const assets = mountAssets(shared);
    const colors = mountColors(shared);
    for (const setting of LOOK_SETTINGS) context.contribute("instance_setting", setting);
    const heads = () => slot("screen_head");
    const filesOf = (kind: "styles" | "scripts") =>
      [...heads(), ...slot("document_head")].flatMap((head) => head[kind] ?? []);
    const own = {
      styles: [assets.own("pico.css"), assets.own("web.css")],
      scripts: [assets.own("web.js"), assets.own("pictures.js"), assets.own("palette.js")],
    };
    const declared = () =>
      [...slot("screen_part"), ...heads(), ...slot("view_replacement"), ...slot("page_pictures")].flatMap(
        (each) => declaredOf(each) ?? [],
      );
    const documents = new Documents({
      context: shared,
      kept: context.cache.derived("drawings", { dependsOn: declared }),
      ...{ parts, views, heads },
      frameSources: frames.policy,
      facts: () => ({
        app: contracts.system.name,
        logo: contracts.system.logo,
        icon: contracts.system.icon(ICON_SIDE),
        links: contracts.instance_settings.value("app_footer_links"),
      }),
      styles: () => [...own.styles, ...colors(), ...filesOf("styles")],
      scripts: () => [...own.scripts, ...filesOf("scripts")],
      footer: (facts, visit) => places.draw("screen/footer", facts, visit),
      header: views.add("layout/header", header),
      bottom: views.add("layout/footer", footer),
    });
    const screens = new Screens({
      context: shared,
      documents,
      uiFor(request, viewer) {
        const accepted = request.headers.get("accept-language");
        return createUi(
          { texts, icons, root, serves: context.runtime.serves },
          viewer,
          chosenLanguage(viewer.language, accepted, texts.languages()) ?? texts.language(),
        );
      },
      errorBody: views.add("web/fault", errorBody),
      pendingFormBody: views.add("web/held", pendingFormBody),
    });
    routeScope(
      "",
      screenScope(shared, {
        errorScreen: (...given) => screens.errorScreen(...given),
      }),
    );
    const web: Web = {
      parts: partsOf(views),
      view: (name, view) => views.add(name, view),
      async decorate(ui, html, markdown = "") {
        const viewer = { id: readerOf(ui).id };
        return decorate(await shownContent(slot("page_content"), { html, markdown, target: "screen", viewer }), ui);
      },
      icon: (name, svg) => icons.add(name, svg),
      asset: (name, path) => assets.add(name, path),
      screen: (...given) => screens.screen(...given),
      form: (...given) => screens.form(...given),
      places: (...names) => places.add(names),
      addedParts: (at, data, visit) => places.draw(at, data, visit),
      toolbar: (at, data, visit) => toolbarAt({ places, parts }, at, data, visit),
      figures: (at, visit) => figuresAt({ places, parts }, at, visit),
      paged,
    };
    provide("web", web, {}, (from) => ({
      asset: (name, path) => assets.add(name, path, from),
    }));
    contributeThemeHooks(context, web);
    mountSignIn(shared, web);
    mountKeys(shared, web);
    on("app_boot", {
      inTransaction() {
        // Code of the operator's own files, such as a theme, goes on with a warning.
        views.check(isOperatorsOwn);
        for (const undeclared of places.check())
          log.warn("Cannot show what a plugin adds to a place of screens: no plugin declares the place", undeclared);
        parts.check();
        checkHeads(heads(), assets);
        // An invalid icon stops the boot.
        contributedIcons();
      },
    });
    onStart(() => {
      views.warn(log);
      warnOfUnknownIcons(parts.all(), icons, log);
    });
  },
});

/** The components, each as a named view, so that themes can replace it. */
function partsOf(views: Views): Web["parts"] {
  const field = views.add("parts/field", components.field);
  const form = views.add("parts/form", components.form);
  const table = views.add("parts/table", components.table);
  const pager = views.add("parts/pager", components.pager);
  const confirm = views.add("parts/confirm", components.confirm);
  const notice = views.add("parts/notice", components.notice);
  const copyable = views.add("parts/copyable", components.copyable);
  const button = views.add("parts/button", components.button);
  const dialogLink = views.add("parts/dialog_link", components.dialogLink);
  const compared = views.add("parts/difference", difference);
  const tabs = views.add("parts/tabs", components.tabs);
  const toolbar = views.add("parts/toolbar", components.toolbar);
  const badge = views.add("parts/badge", components.badge);
  const face = views.add("parts/avatar", avatar);
  return {
    field: (ui, spec) => field(spec, ui),
    form: (ui, spec) => form(spec, ui),
    table: (ui, spec) => table(spec, ui),
    pager: (ui, spec) => pager(spec, ui),
    confirm: (ui, spec) => confirm(spec, ui),
    notice: (ui, kind, text) => notice({ kind, text }, ui),
    copyable: (ui, spec) => copyable(spec, ui),
    button: (ui, spec) => button(spec, ui),
    dialogLink: (ui, spec) => dialogLink(spec, ui),
    difference: (ui, before, after, comparison) => compared({ before, after, comparison }, ui),
    tabs: (ui, label, each) => tabs({ label, tabs: each }, ui),
    toolbar: (ui, given) => toolbar(given, ui),
    badge: (ui, kind, text) => badge({ kind, text }, ui),
    avatar: (ui, user) => face(user, ui),
  };
}

function paged(query: InputObject, size = PAGE_SIZE): ReturnType<Web["paged"]> {
  const requested = Number(query.page);
  const page = Number.isInteger(requested) && requested >= 1 && requested <= 1_000_000 ? requested : 1;
  return { page, size, query: `count=${size}&offset=${(page - 1) * size}` };
}
