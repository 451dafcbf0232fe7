/**
 * Bodies that are sent in one write, with the headers. Bun 1.4 collects what it writes of an answer that is ready within the event of its
 * request, or whose body is smaller than 15 KB. Of all others it writes each name, separator and value of the headers by a system call of its
 * own, 40 of them for an answer of the API: 150 µs of CPU for 24 KB, in place of 15 µs. A direct stream that is written and ended at once
 * is sent whole, and with its `Content-Length`, as its length is known before the headers are written.
 */
import type { JsonBytes } from "./json_bytes.ts";

/** Bytes from which Bun does not collect the headers of an answer that is ready after the event of its request. */
const COLLECTED_BYTES = 15 * 1024;
/** Bytes of UTF-8 that one unit of a string takes at most. */
const MAX_BYTES_OF_UNIT = 3;
/** Characters or bytes up to which content is copied for it: of longer the headers are a small part. */
const MAX_LENGTH = 1024 * 1024;

const CONTENT = Symbol("content of the answer");
const CONSTANT = Symbol("the answer is the same each time");

/** What an answer holds, where it is known without reading a stream. */
type Content = string | Uint8Array<ArrayBuffer> | JsonBytes;

/** Notes what an answer holds, as a property: a WeakMap entry for each answer would burden the garbage collector. Returns the answer. */
export function withContent(response: Response, content: Content): Response {
  (response as { [CONTENT]?: Content })[CONTENT] = content;
  return response;
}

/** What an answer holds; undefined where that is not known. */
export function contentOf(response: Response): Content | undefined {
  return (response as { [CONTENT]?: Content })[CONTENT];
}

/** Notes that an answer is the same each time, such as a style sheet. Returns the answer. */
export function asConstant(response: Response): Response {
  (response as { [CONSTANT]?: true })[CONSTANT] = true;
  return response;
}

/** Whether an answer is the same each time. */
export function isConstant(response: Response): boolean {
  return (response as { [CONSTANT]?: true })[CONSTANT] === true;
}

const KEPT = Symbol("the bytes of the answer are sent again");

/** Notes that the bytes of an answer are kept by whoever made it, to be sent again. Returns the answer. */
export function asKept(response: Response): Response {
  (response as { [KEPT]?: true })[KEPT] = true;
  return response;
}

/** Whether the bytes of an answer are kept by whoever made it. */
export function isKept(response: Response): boolean {
  return (response as { [KEPT]?: true })[KEPT] === true;
}

let loopTurn = 0;
let isEndAwaited = false;

/**
 * A number that changes with each turn of the event loop: an answer that is ready in the turn of its request is ready within its event,
 * or nearly always so.
 */
export function currentLoopTurn(): number {
  if (isEndAwaited) return loopTurn;
  isEndAwaited = true;
  setImmediate(() => {
    isEndAwaited = false;
    loopTurn += 1;
  });
  return loopTurn;
}

/** Whether Bun writes an answer of this content together with its headers, whenever it is ready. */
export function isCollected(content: string | Uint8Array): boolean {
  if (content.length >= COLLECTED_BYTES) return false;
  if (typeof content !== "string") return true;
  return content.length * MAX_BYTES_OF_UNIT < COLLECTED_BYTES || Buffer.byteLength(content) < COLLECTED_BYTES;
}

/**
 * An answer of text, or of bytes. `headers` have its content type.
 * @example
 * wholeResponse(JSON.stringify(notes), { status: 200, headers: { "content-type": "application/json" } });
 */
export function wholeResponse(
  content: string | Uint8Array<ArrayBuffer>,
  { status, headers }: { readonly status: number; readonly headers: Record<string, string> },
): Response {
  if (isCollected(content) || content.length > MAX_LENGTH)
    return withContent(new Response(content, { status, headers }), content);
  const source = {
    type: "direct" as const,
    pull(controller: Pick<ReadableStreamDirectController, "write" | "end">): void {
      void controller.write(content);
      void controller.end();
    },
  };
  // The mark is never reached, so nothing is sent before the end.
  const body = new ReadableStream(source, { highWaterMark: Infinity });
  // Bun writes the length itself; it is here for answers to HEAD, which are made of the headers.
  const length = String(Buffer.byteLength(content));
  return withContent(new Response(body, { status, headers: { ...headers, "content-length": length } }), content);
}
