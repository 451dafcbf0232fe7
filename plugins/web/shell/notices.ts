/**
 * A notice for the next screen, in a cookie that is deleted when it is shown. It is escaped like any other text, so an attacker who can
 * set cookies could only show a text on one screen.
 */
const NAME = "lectern_notice";
const COOKIE = new RegExp(`(?:^|;\\s*)${NAME}=([^;]*)`);
const SECONDS = 30;
const MAX_LENGTH = 500;

/** The Set-Cookie header that stores a notice. */
export function storeNotice(text: string, root: string): string {
  return `${NAME}=${encodeURIComponent(text.slice(0, MAX_LENGTH))}; Path=${root || "/"}; Max-Age=${SECONDS}; HttpOnly; SameSite=Strict`;
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
