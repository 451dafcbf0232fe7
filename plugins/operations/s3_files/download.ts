/**
 * Downloads from a bucket that continue where the connection breaks or falls silent: the rest is requested by its range, if the
 * object is still the same. A download whose reader is slow waits for it, and holds no more than a few chunks.
 */
import { type ByteRange, withinTime } from "lectern/core";
import { isPassing, pause, S3Error, type S3Requests } from "./requests.ts";

/** The object of a download, as HEAD described it. */
export interface DownloadedObject {
  readonly key: string;
  readonly etag: string;
}

type Reader = ReadableStreamDefaultReader<Uint8Array>;

/** The bytes of a range that is not empty. The first request is sent when they are read. */
export function download(
  requests: S3Requests,
  { key, etag }: DownloadedObject,
  { start, end }: ByteRange,
): ReadableStream<Uint8Array> {
  let at = start;
  let reader: Reader | undefined;
  let failures = 0;

  async function open(): Promise<Reader> {
    const headers = { range: `bytes=${at}-${end - 1}`, ...(etag !== "" && { "if-match": etag }) };
    const { body, status } = await requests.send({ method: "GET", key, headers });
    if (!body || status !== 206) throw new S3Error("InvalidAnswer", status, "the range of an object was not answered");
    return body.getReader() as Reader;
  }

  /** The next chunk. Throws where the connection breaks, also by an end before the end. */
  async function next(): Promise<Uint8Array> {
    reader ??= await open();
    const open_ = reader;
    const message = `The object store sent nothing for ${requests.timeoutMs} milliseconds`;
    const { value } = await withinTime(requests.timeoutMs, () => open_.read(), message);
    if (value === undefined) throw new Error("The object store ended an answer too early");
    return value;
  }

  const give = async (error: unknown) => {
    const left = reader;
    reader = undefined;
    await left?.cancel(error).catch(() => {
      // It is broken already.
    });
  };

  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        for (;;) {
          try {
            const chunk = await next();
            failures = 0;
            at += chunk.length;
            controller.enqueue(chunk);
            if (at >= end) controller.close();
            return;
          } catch (error) {
            await give(error);
            // Each request has been repeated by itself already.
            if (++failures >= requests.attempts || !isPassing(error)) throw error;
            await pause(failures);
          }
        }
      },
      cancel: give,
    },
    { highWaterMark: 0 },
  );
}
