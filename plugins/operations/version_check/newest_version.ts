import type { OutgoingFetch } from "lectern/core";

const TIMEOUT_MS = 10_000;
/** An answer of npm about a version has some kilobytes. */
const MAX_BYTES = 200_000;
const VERSION = /^\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]{1,40})?$/;

/**
 * Reads the newest version from a URL that answers JSON such as `{"version": "1.2.3"}`. The request contains nothing about the
 * instance: no version, no name, no identifier. Throws an error for any other answer.
 */
export async function newestVersion(fetch: OutgoingFetch, url: string): Promise<string> {
  const response = await fetch(url, {
    headers: { accept: "application/json", "user-agent": "Lectern" },
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  if (!response.ok) {
    await response.body?.cancel();
    throw new Error(`The answer has the status ${response.status}`);
  }
  const { version }: { version?: unknown } = JSON.parse(await boundedText(response));
  if (typeof version !== "string" || !VERSION.test(version)) throw new Error("The answer contains no version");
  return version;
}

async function boundedText(response: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk, { stream: true });
    if (text.length > MAX_BYTES) throw new Error(`The answer has more than ${MAX_BYTES} bytes`);
  }
  return text;
}
