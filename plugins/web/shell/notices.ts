/**
 * A notice for the next screen, in a cookie that is deleted when it is shown. It is escaped like any other text, so an attacker who can
 * set cookies could only show a text on one screen, and a link within this instance.
 */
const NAME = "lectern_notice";
const COOKIE = new RegExp(`(?:^|;\\s*)${NAME}=([^;]*)`);
const SECONDS = 30;
const MAX_LENGTH = 500;

/** The Set-Cookie header that stores a notice, with a link below it as further lines. */
export function storeNotice(text: string, root: string, link?: { path: string; text: string }): string {
  const after = link ? `\n${link.path}\n${link.text}` : "";
  const stored = text.replace(/\s+/g, " ").slice(0, MAX_LENGTH - after.length) + after;
  return `${NAME}=${encodeURIComponent(stored)}; Path=${root || "/"}; Max-Age=${SECONDS}; HttpOnly; SameSite=Strict`;
}

/** The notice of a request, and the Set-Cookie header that deletes it. */
export function takeNotice(header: string | null, root: string): { text: string; deletion: string } | undefined {
  const found = header === null ? undefined : COOKIE.exec(header)?.[1];
  if (found === undefined || found === "") return undefined;
  const deletion = `${NAME}=; Path=${root || "/"}; Max-Age=0; HttpOnly; SameSite=Strict`;
  try {
    return { text: decodeURIComponent(found).slice(0, MAX_LENGTH), deletion };
  } catch {
    return { text: "", deletion };
  }
}
