/**
 * A notice for the next screen, in a cookie of its own that is taken away when it is shown. Somebody who can set cookies
 * here could put a text of theirs on one screen, and no more: it is escaped like any other.
 */
const NAME = "lectern_notice";
const SECONDS = 30;
const MAX_LENGTH = 500;

/** The header that leaves a notice. */
export function leaveNotice(text: string, root: string): string {
  return `${NAME}=${encodeURIComponent(text.slice(0, MAX_LENGTH))}; Path=${root || "/"}; Max-Age=${SECONDS}; HttpOnly; SameSite=Strict`;
}

/** The notice that a request brings, and the header that takes it away. */
export function takeNotice(header: string | null, root: string): { text: string; taken: string } | undefined {
  const found = new RegExp(`(?:^|;\\s*)${NAME}=([^;]*)`).exec(header ?? "")?.[1];
  if (found === undefined || found === "") return undefined;
  const taken = `${NAME}=; Path=${root || "/"}; Max-Age=0; HttpOnly; SameSite=Strict`;
  try {
    return { text: decodeURIComponent(found).slice(0, MAX_LENGTH), taken };
  } catch {
    return { text: "", taken };
  }
}
