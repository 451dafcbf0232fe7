/**
 * The screens of watching: what one was told, how much of an item one is told, and what one is told beside that. They show what the API answers
 * the reader, so nothing of an item that the reader may see no longer. All of it is forms and links, without scripts.
 */
import type { Answers, HomeKind, ToolbarEntry, Ui, Visit } from "lectern/contracts";
import { ApiError, type FormErrors, formErrors, type Html, html, htmlResponse, type PluginContext } from "lectern/core";
import type { ReadingContext } from "./contract.ts";
import { homeEntries, homeItemPath } from "./home_lists.ts";

const PERMIT = ["receive-notifications"] as const;
const NOTIFICATIONS = "/notifications";
const COUNT = "/notifications/count";
const PREFERENCES = "/my-account/notifications";
/** Unread notifications that are counted; of more, it is said that there are more. */
const COUNTED = 99;
/** Seconds for which a browser takes the number from its own cache; the screen of notifications asks anew. */
const COUNT_SECONDS = 30;
/** Entries of a screen. */
const PAGE_SIZE = 30;

type Notification = Answers["/api/notifications"]["data"][number];
type Watch = Answers[`/api/watches/${HomeKind}/${number}`];
type Preferences = Answers["/api/notification-preferences"];

const TOOLBARS = {
  "page/toolbar": "page",
  "chapter/toolbar": "chapter",
  "book/toolbar": "book",
  "shelf/toolbar": "bookshelf",
} as const;

const PHRASES = {
  page_create: "created this page",
  page_update: "changed this page",
  comment_create: "commented on this page",
  reply: "replied to your comment",
  mention: "mentioned you",
} as const;

const LEVELS: readonly (readonly [value: string, text: string])[] = [
  ["default", "As what it is in"],
  ["comments", "Comments, changes and new pages"],
  ["updates", "Changes and new pages"],
  ["new", "New pages"],
  ["ignore", "Nothing"],
];

const TOLD = [
  { name: "own_page_changes", text: "Changes of my pages" },
  { name: "own_page_comments", text: "Comments on my pages" },
  { name: "comment_replies", text: "Replies to my comments" },
  { name: "comment_mentions", text: "Mentions of me in pages and comments" },
] as const;

/** Mounts the screens, and the entries that lead to them. */
export function mountWatching(context: ReadingContext, { contribute }: Pick<PluginContext, "contribute">): void {
  const entry = { text: "Notifications", icon: "bell", permit: PERMIT, needs: "/api/notifications" };
  contribute("screen_part", { at: "menu/main", path: NOTIFICATIONS, order: 50, count: COUNT, ...entry });
  contribute("screen_part", { at: "menu/account", path: PREFERENCES, order: 10, ...entry });
  for (const [at, kind] of Object.entries(TOOLBARS))
    contribute("screen_part", {
      ...{ at, text: "Watch", icon: "bell", permit: PERMIT, order: 61, isInMenu: true, dependsOn: [] },
      path: ({ id }: { readonly id: number }, ui: Ui) =>
        ui.serves("/api/watches") ? `/watch/${kind}/${id}` : undefined,
      // A place has the type of its own data, of which all have an id.
    } as ToolbarEntry);
  mountNotifications(context);
  mountWatch(context);
  mountPreferences(context);
}

function mountNotifications(context: ReadingContext): void {
  const { app, web } = context;
  const { parts } = web;
  web.screen(app.site, NOTIFICATIONS, PERMIT, async (visit) => {
    const { ui } = visit;
    const { page, size, query } = web.paged(visit.query, PAGE_SIZE);
    const { data, total, unread, newest_id: newest } = await visit.get(`/api/notifications?${query}`);
    const all =
      unread > 0 &&
      html`<form method="post" action="${ui.url(NOTIFICATIONS)}"><input type="hidden" name="up_to" value="${newest ?? ""}"><button class="secondary outline">${ui.icon("check")} ${ui.t("Mark all as read")}</button></form>`;
    const shown =
      data.length === 0
        ? html`<p class="empty">${ui.t("Nothing yet. Watch a book or a page, and you are told here of what changes in it.")}</p>`
        : homeEntries(data.map((one) => entryOf(context, one, { ui, page })));
    const choose = html`<p><a href="${ui.url(PREFERENCES)}">${ui.t("Choose what you are told")}</a></p>`;
    const pager = parts.pager(ui, { path: NOTIFICATIONS, query: {}, total, page, size });
    const body = html`<div class="head-line"><h1>${ui.icon("bell")} ${ui.t("Notifications")}</h1>${all}</div>${shown}${pager}${choose}`;
    return { title: ui.t("Notifications"), body };
  });
  web.screen(app.site, COUNT, PERMIT, async (visit) => {
    const { unread } = await visit.get("/api/notifications/unread");
    const shown = unread > COUNTED ? `${COUNTED}+` : String(unread);
    const { t } = visit.ui;
    const response = htmlResponse(
      html`${unread > 0 && html`<span class="count" aria-hidden="true">${shown}</span><span class="unseen">(${t(":count unread", { count: shown })})</span>`}`,
    );
    response.headers.set("cache-control", `private, max-age=${COUNT_SECONDS}`);
    // It is another number where somebody else has signed in since.
    response.headers.set("vary", "cookie");
    return response;
  });
  web.form(app.site, NOTIFICATIONS, PERMIT, async (visit) => {
    const [id, upTo] = [visit.text("id"), visit.text("up_to")];
    const which = id === "" ? { up_to: upTo } : { ids: [id] };
    const sent = await visit.send("PUT", "/api/notifications", { read: visit.text("read") !== "0", ...which });
    if (!sent.ok) throw new ApiError(sent.status, sent.message);
    const page = Number(visit.text("page"));
    return visit.goTo(page > 1 ? `${NOTIFICATIONS}?page=${page}` : NOTIFICATIONS);
  });
}

/** A notification with a link to what it is about, and a button that marks it. */
function entryOf(
  context: ReadingContext,
  one: Notification,
  { ui, page }: { readonly ui: Ui; readonly page: number },
): Html {
  const { id, type, reason, author, item, changes, comment_local_id: comment, read_at: readAt } = one;
  const phrase = ui.t(PHRASES[reason === "mention" || reason === "reply" ? reason : type]);
  const isUnread = readAt === null;
  const path = `${homeItemPath(context, item)}${comment === null ? "" : `#comment${comment}`}`;
  const facts = [
    html`${author?.name ?? ui.t("Unknown user")} ${phrase}${changes > 1 && html` (${ui.t(":count changes", { count: changes })})`}`,
    ...(item.book === null ? [] : [item.book.name]),
    ui.time(one.updated_at),
  ];
  const said = facts.map((fact, at) => html`${at > 0 && " · "}<span>${fact}</span>`);
  const mark = isUnread ? ui.t("Mark as read") : ui.t("Mark as unread");
  const name = isUnread
    ? html`<strong>${item.name}</strong> ${context.web.parts.badge(ui, "note", ui.t("New"))}`
    : item.name;
  return html`<a href="${ui.url(path)}">${ui.icon(comment === null ? "page" : "comment")} <span>${name}</span></a><div class="told"><small class="quiet">${said}</small>
<form class="inline" method="post" action="${ui.url(NOTIFICATIONS)}"><input type="hidden" name="id" value="${id}"><input type="hidden" name="read" value="${isUnread ? 1 : 0}"><input type="hidden" name="page" value="${page}"><button class="small secondary outline">${mark}<span class="unseen">: ${item.name}</span></button></form></div>`;
}

function mountWatch({ app, baseUrl, web }: ReadingContext): void {
  const { parts } = web;
  const path = "/watch/:kind/:id";
  const itemOf = ({ params: { kind = "", id = "" } }: Visit) =>
    `${encodeURIComponent(kind)}/${encodeURIComponent(id)}` as `page/${number}`;
  const shown = async (visit: Visit, wrong: FormErrors = formErrors(undefined)) => {
    const { ui } = visit;
    const watch = await visit.get(`/api/watches/${itemOf(visit)}`);
    const field = parts.field(ui, {
      name: "level",
      label: ui.t("You are told of"),
      type: "select",
      value: watch.level,
      options: LEVELS.map(([value, text]) => [value, ui.t(text)] as const),
      errors: wrong.errors.level,
      help: inheritedText(watch, ui),
    });
    const form = parts.form(ui, {
      action: `/watch/${itemOf(visit)}`,
      fields: field,
      submit: ui.t("Save"),
      error: wrong.error,
    });
    const title = ui.t("Watch “:name”", { name: watch.item.name });
    const crumbs = [{ text: watch.item.name, path: homeItemPath({ baseUrl }, watch.item) }, { text: ui.t("Watch") }];
    return { title, crumbs, body: html`<h1>${title}</h1>${form}`, status: wrong.status };
  };
  web.screen(app.site, path, PERMIT, (visit) => shown(visit));
  web.form(app.site, path, PERMIT, async (visit) => {
    const sent = await visit.send("PUT", `/api/watches/${itemOf(visit)}`, { level: visit.text("level") });
    if (!sent.ok) return shown(visit, formErrors(sent));
    return visit.goTo(homeItemPath({ baseUrl }, sent.body.item), visit.ui.t("Your choice is saved."));
  });
}

/** What counts where nothing is chosen for the item itself. */
function inheritedText({ inherited }: Watch, { t }: Ui): string {
  if (!inherited) return t("Nothing that it is in is watched.");
  const level = t(LEVELS.find(([value]) => value === inherited.level)?.[1] ?? "Nothing");
  if (!inherited.item) return t("By what it is in: :level", { level });
  return t("By “:name”: :level", { name: inherited.item.name, level });
}

function mountPreferences({ app, web }: ReadingContext): void {
  const { parts } = web;
  const shown = async (visit: Visit, wrong: FormErrors = formErrors(undefined)) => {
    const { ui } = visit;
    const kept: Preferences = await visit.get("/api/notification-preferences");
    const told = TOLD.map(({ name, text }) =>
      parts.field(ui, { name, label: ui.t(text), type: "checkbox", value: kept[name] }),
    );
    const mail = parts.field(ui, {
      name: "mail",
      label: ui.t("By mail"),
      type: "select",
      value: kept.mail,
      options: [
        ["at_once", ui.t("At once")],
        ["daily", ui.t("Once a day")],
        ["weekly", ui.t("Once a week")],
        ["never", ui.t("Never")],
      ],
      errors: wrong.errors.mail,
    });
    const form = parts.form(ui, {
      action: PREFERENCES,
      fields: html`<fieldset><legend>${ui.t("Beside what you watch, you are told of")}</legend>${told}</fieldset>${mail}`,
      submit: ui.t("Save"),
      error: wrong.error,
      label: ui.t("Notifications"),
    });
    const { data, total } = await visit.get("/api/watches?count=100");
    const watched = data.map(({ item, level }) => {
      const text = ui.t(LEVELS.find(([value]) => value === level)?.[1] ?? "Nothing");
      return html`<a href="${ui.url(`/watch/${item.type}/${item.id}`)}">${ui.icon(item.type === "bookshelf" ? "shelf" : item.type)} <span>${item.name}</span></a><small class="quiet">${text}</small>`;
    });
    const list = total > 0 && html`<section><h2>${ui.t("What you watch")}</h2>${homeEntries(watched)}</section>`;
    return {
      title: ui.t("Notifications"),
      body: html`<h1>${ui.t("Notifications")}</h1>${form}${list}`,
      status: wrong.status,
    };
  };
  web.screen(app.site, PREFERENCES, PERMIT, (visit) => shown(visit));
  web.form(app.site, PREFERENCES, PERMIT, async (visit) => {
    const told = Object.fromEntries(TOLD.map(({ name }) => [name, visit.text(name) !== ""]));
    const sent = await visit.send("PUT", "/api/notification-preferences", { ...told, mail: visit.text("mail") });
    return sent.ok ? visit.goTo(PREFERENCES, visit.ui.t("Your choice is saved.")) : shown(visit, formErrors(sent));
  });
}
