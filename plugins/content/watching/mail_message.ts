/**
 * The mail of notifications, in the language of its reader: who did what to which page, with the address of the comment, or of the difference
 * where the reader may compare revisions. A part of the text is in it where the operator allows that, since mail is kept elsewhere, and stays
 * there when the reader may see the page no longer. What is in it at all is chosen by `mail.ts`.
 */
import type { MailMessage } from "lectern/contracts";
import { directionOf, hasPermission, html, localeTag, type Static, type Viewer } from "lectern/core";
import { prepared } from "lectern/db";
import type { notificationSchema, WatchingContext } from "./contract.ts";

/** What a mail is made of. */
export interface MailParts {
  readonly viewer: Viewer;
  readonly told: readonly Static<typeof notificationSchema>[];
  /** Notifications that it does not name. */
  readonly more: number;
  readonly to: string;
  readonly unsubscribe: string;
  readonly language: string;
}

/** Characters of a subject and of a part of a text. */
const SUBJECT = 150;
const EXCERPT = 400;

const PHRASES = {
  page_create: ":author created “:page”",
  page_update: ":author changed “:page”",
  comment_create: ":author commented on “:page”",
  reply: ":author replied to your comment on “:page”",
  mention: ":author mentioned you in “:page”",
} as const;

const textOfComment = prepared("watching.textOfComment", (db, p: { id: number }) =>
  db.selectFrom("comments").select("html").where("id", "=", p.id),
);

const revisionUpTo = prepared("watching.revisionUpTo", (db, p: { pageId: number; number: number }) =>
  db
    .selectFrom("page_revisions")
    .select(["id", "text"])
    .where("page_id", "=", p.pageId)
    .where("number", "<=", p.number)
    .orderBy("number", "desc")
    .limit(1),
);

/** One notification as a mail says it. */
interface Said {
  readonly line: string;
  readonly url: string;
  readonly excerpt: string;
}

/** Makes the mail. */
export async function notificationMail(context: WatchingContext, parts: MailParts): Promise<MailMessage> {
  const { told, more, to, unsubscribe, language } = parts;
  const { baseUrl, texts } = context;
  const t = (text: string, params?: Readonly<Record<string, string | number>>) => texts.say(text, params, language);
  const said: Said[] = [];
  for (const one of told) said.push(await sayOne(context, parts, one));
  const instance = new URL(baseUrl).host;
  const [first] = said;
  const subject =
    said.length === 1 && more === 0 && first
      ? first.line
      : t(":count notifications of :instance", { count: told.length + more, instance });
  const rest = more > 0 ? [t("And :count more: :link", { count: more, link: `${baseUrl}/notifications` })] : [];
  const why = t("You get this mail since you watch, own or were mentioned in these pages. Choose what you are told:");
  const choose = `${baseUrl}/my-account/notifications`;
  const end = t("Get no more such mails:");
  const text = [
    ...said.map(({ line, url, excerpt }) => [line, url, excerpt].filter((each) => each !== "").join("\n")),
    ...rest,
    `--\n${why}\n${choose}\n${end}\n${unsubscribe}`,
  ];
  const shown = said.map(
    ({ line, url, excerpt }) =>
      html`<p><a href="${url}">${line}</a></p>${excerpt !== "" && html`<blockquote style="white-space:pre-wrap">${excerpt}</blockquote>`}`,
  );
  const foot = html`<hr><p><small>${why} <a href="${choose}">${choose}</a><br>${end} <a href="${unsubscribe}">${unsubscribe}</a></small></p>`;
  return {
    to,
    // A name may have what would end a header.
    subject: cut(subject.replace(/\p{Cc}+/gu, " "), SUBJECT),
    text: `${text.join("\n\n")}\n`,
    html: [
      `<html lang="${localeTag(language)}" dir="${directionOf(language)}"><body>`,
      ...shown.map(String),
      ...rest.map((line) => String(html`<p>${line}</p>`)),
      String(foot),
      "</body></html>",
    ].join("\n"),
    unsubscribe,
  };
}

async function sayOne(
  context: WatchingContext,
  { viewer, language }: MailParts,
  { type, reason, author, changes, item, comment_id, comment_local_id, from_revision }: MailParts["told"][number],
): Promise<Said> {
  const { db, mailExcerpt, texts } = context;
  const phrase = PHRASES[reason === "mention" || reason === "reply" ? reason : type];
  const said = texts.say(
    phrase,
    { author: author?.name ?? texts.say("Somebody", {}, language), page: item.name },
    language,
  );
  const line = changes > 1 ? `${said} (${texts.say(":count changes", { count: changes }, language)})` : said;
  if (comment_id !== null) {
    const comment = mailExcerpt ? await textOfComment.executeTakeFirst(db, { id: comment_id }) : undefined;
    const excerpt = comment ? cut(await context.contracts.markup.text(comment.html), EXCERPT) : "";
    return { line, url: `${item.url}#comment${comment_local_id ?? ""}`, excerpt };
  }
  const before = { pageId: item.id, number: from_revision ?? 0 };
  const mayCompare = from_revision !== null && hasPermission(viewer, "revision-view-all");
  const revision = mayCompare ? await revisionUpTo.executeTakeFirst(db, before) : undefined;
  if (!revision) return { line, url: item.url, excerpt: "" };
  const url = `${item.url}/compare-revisions?from=${revision.id}`;
  return { line, url, excerpt: mailExcerpt ? await changedText(context, item.id, revision.text) : "" };
}

/** What was removed and added since a revision. */
async function changedText({ contracts, db }: WatchingContext, pageId: number, before: string): Promise<string> {
  const now = await revisionUpTo.executeTakeFirst(db, { pageId, number: 2_147_483_647 });
  const compared = await contracts.markup.compare(before, now?.text ?? before);
  if (compared === "long") return "";
  const changed = compared.filter(({ added, removed }) => added || removed);
  return cut(changed.map(({ value, added }) => `${added ? "+" : "−"} ${value.trim()}`).join("\n"), EXCERPT);
}

/** The beginning of a text, without half of a character that two units make. */
function cut(text: string, chars: number): string {
  const whole = text.trim();
  return whole.length > chars ? `${whole.slice(0, chars).replace(/[\uD800-\uDBFF]$/, "")}…` : whole;
}
