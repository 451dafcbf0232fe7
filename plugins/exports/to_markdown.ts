/**
 * HTML as Markdown, in the dialect of content-api 15.6: what Markdown has no word for stays HTML. Turndown does the work;
 * the rules here are where that dialect differs from it. Long texts take seconds, so they are converted by a worker, and
 * one that takes too long stays HTML, which is Markdown as well.
 */
import { convert } from "./turndown.ts";

/** Longer HTML, in characters, is converted beside the server's own thread: about 50 ms of work. */
const LONG = 30_000;
const TIMEOUT_MS = 60_000;

/** HTML as Markdown, without blank lines at either end. Never rejects. */
export async function toMarkdown(html: string): Promise<string> {
  if (html.length > LONG) return (await byWorker(html)) ?? html;
  try {
    return convert(html);
  } catch {
    // Nested deeper than the converter can follow.
    return html;
  }
}

function byWorker(html: string): Promise<string | undefined> {
  const worker = new Worker(new URL("./markdown_worker.ts", import.meta.url).href);
  const { promise, resolve } = Promise.withResolvers<string | undefined>();
  const timer = setTimeout(() => resolve(undefined), TIMEOUT_MS);
  worker.onmessage = ({ data }: MessageEvent<string | undefined>) => resolve(data);
  worker.onerror = () => resolve(undefined);
  worker.postMessage(html);
  return promise.finally(() => {
    clearTimeout(timer);
    worker.terminate();
  });
}
