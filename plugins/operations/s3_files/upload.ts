/**
 * Uploads to a bucket. Content of up to one part is sent as one request. Larger content is sent in parts while it is read: a few
 * parts at a time, each again by itself if it fails, so that an upload has `parallel + 2` buffers of a part. The object appears
 * with the end of the upload. An upload that fails is aborted, which removes its parts.
 */
import { type FileContent, isUpload, type UnfinishedUpload } from "lectern/core";
import { S3Error, type S3Requests } from "./requests.ts";
import { elementsOf, textOf } from "./xml.ts";

/** The size of parts in bytes, and how many are sent at a time. */
export interface PartLimits {
  readonly bytes: number;
  readonly parallel: number;
}

/** The XML namespace of S3, which some services insist on. */
const NAMESPACE = "http://s3.amazonaws.com/doc/2006-03-01/";
/** The maximum of the protocol. */
const MAX_PARTS = 10_000;

/** Stores content under a key and resolves with its size. Throws where the content or the service fails; then nothing is stored. */
export async function upload(
  requests: S3Requests,
  key: string,
  content: FileContent,
  limits: PartLimits,
): Promise<number> {
  const buffers = new PartBuffers(limits.bytes);
  const parts = partsOf(content, buffers);
  try {
    const { value: first = new Uint8Array() } = await parts.next();
    const second = first.length < limits.bytes ? undefined : await parts.next();
    if (second && !second.done)
      return await uploadParts({ requests, key, limits, buffers }, joined([first, second.value], parts));
    await requests.send({ method: "PUT", key, body: first, headers: TYPE });
    return first.length;
  } finally {
    // The stream of an upload that was refused is not read to its end.
    await parts.return(undefined);
  }
}

/** Without one, services derive a type from the key, which could be one that runs scripts. */
const TYPE = { "content-type": "application/octet-stream" };

interface Target {
  readonly requests: S3Requests;
  readonly key: string;
  readonly limits: PartLimits;
  readonly buffers: PartBuffers;
}

/** Buffers of parts, used again and again: large ones are collected late, and would add up to several times their number. */
class PartBuffers {
  readonly bytes: number;
  readonly #own = new WeakSet<ArrayBufferLike>();
  readonly #free: Uint8Array<ArrayBuffer>[] = [];

  constructor(bytes: number) {
    this.bytes = bytes;
  }

  take(): Uint8Array<ArrayBuffer> {
    const buffer = this.#free.pop() ?? new Uint8Array(this.bytes);
    this.#own.add(buffer.buffer);
    return buffer;
  }

  /** Takes back the buffer of a part that was sent; parts of given bytes have none. */
  give({ buffer }: Uint8Array): void {
    if (buffer instanceof ArrayBuffer && this.#own.has(buffer)) this.#free.push(new Uint8Array(buffer));
  }
}

async function uploadParts(
  { requests, key, limits, buffers }: Target,
  parts: AsyncGenerator<Uint8Array>,
): Promise<number> {
  const query = { uploads: "" };
  const id = textOf(await requests.text({ method: "POST", key, query, headers: TYPE }), "UploadId");
  if (id === undefined) throw new S3Error("InvalidAnswer", 200, "an upload without an id");
  const running = new Set<Promise<void>>();
  const etags: string[] = [];
  let size = 0;
  const failure = Promise.withResolvers<never>();
  // It is awaited only where there are parts to wait for.
  failure.promise.catch(() => {});
  const sendPart = async (number: number, body: Uint8Array) => {
    const answer = await requests.send({
      method: "PUT",
      key,
      query: { partNumber: String(number), uploadId: id },
      body,
    });
    etags[number - 1] = answer.headers.get("etag") ?? "";
    buffers.give(body);
  };
  try {
    for await (const part of parts) {
      if (etags.length >= MAX_PARTS) throw new RangeError(tooLarge(limits));
      etags.push("");
      size += part.length;
      const sent: Promise<void> = sendPart(etags.length, part)
        .catch(failure.reject)
        .finally(() => running.delete(sent));
      running.add(sent);
      // No deadline: the first part that is sent makes room, and one that fails ends the upload.
      if (running.size >= limits.parallel) await Promise.race([...running, failure.promise]);
    }
    // Likewise, for the last parts.
    await Promise.race([Promise.all(running), failure.promise]);
    await complete({ requests, key }, id, etags, size);
    return size;
  } catch (error) {
    // A part that arrives after the abort would stay.
    await Promise.allSettled(running);
    await endUpload(requests, { key, id }).catch(() => {
      // The service ends it by age; the error of the upload counts.
    });
    throw error;
  }
}

async function complete(
  { requests, key }: Pick<Target, "requests" | "key">,
  id: string,
  etags: readonly string[],
  size: number,
): Promise<void> {
  const list = etags.map(
    (etag, at) => `<Part><PartNumber>${at + 1}</PartNumber><ETag>${Bun.escapeHTML(etag)}</ETag></Part>`,
  );
  const xml = `<CompleteMultipartUpload xmlns="${NAMESPACE}">${list.join("")}</CompleteMultipartUpload>`;
  const body = new TextEncoder().encode(xml);
  const headers = { "content-type": "application/xml" };
  try {
    await requests.text({ method: "POST", key, query: { uploadId: id }, headers, body });
  } catch (error) {
    // Where the answer to the first request was lost, the second one finds no upload, and the object is there.
    const isGone = error instanceof S3Error && error.code === "NoSuchUpload";
    const found = isGone ? await requests.send({ method: "HEAD", key }) : undefined;
    const isStored =
      Number(found?.headers.get("content-length")) === size && found?.headers.get("etag")?.includes(`-${etags.length}`);
    if (!isStored) throw error;
  }
}

/** Aborts an upload, whose parts are removed. One that is completed or aborted already is no error. */
export async function endUpload(
  requests: S3Requests,
  { key, id }: Pick<UnfinishedUpload, "key" | "id">,
): Promise<void> {
  try {
    await requests.send({ method: "DELETE", key, query: { uploadId: id } });
  } catch (error) {
    if (!(error instanceof S3Error) || error.status !== 404) throw error;
  }
}

/** The unfinished uploads of keys with a prefix. */
export async function* unfinishedUploads(requests: S3Requests, prefix: string): AsyncGenerator<UnfinishedUpload> {
  let marker: Readonly<Record<string, string>> | undefined = {};
  while (marker) {
    const query = { uploads: "", prefix, ...marker };
    const xml = await requests.text({ method: "GET", query });
    for (const element of elementsOf(xml, "Upload"))
      yield {
        key: textOf(element, "Key") ?? "",
        id: textOf(element, "UploadId") ?? "",
        started: new Date(textOf(element, "Initiated") ?? 0),
      };
    const key = textOf(xml, "NextKeyMarker") ?? "";
    const isMore = textOf(xml, "IsTruncated") === "true" && key !== "";
    marker = isMore ? { "key-marker": key, "upload-id-marker": textOf(xml, "NextUploadIdMarker") ?? "" } : undefined;
  }
}

/** Cuts content into parts of `bytes`, the last of which may be shorter. Empty content has no part. */
async function* partsOf(content: FileContent, buffers: PartBuffers): AsyncGenerator<Uint8Array> {
  const { bytes } = buffers;
  const body = isUpload(content) && content.spooled !== undefined ? Bun.file(content.spooled) : content;
  if (body instanceof Uint8Array) {
    for (let at = 0; at < body.length; at += bytes) yield body.subarray(at, at + bytes);
  } else if (body instanceof Blob) {
    for (let at = 0; at < body.size; at += bytes) yield await body.slice(at, at + bytes).bytes();
  } else {
    yield* gathered(isUpload(body) ? body.stream() : body, buffers);
  }
}

async function* gathered(stream: ReadableStream<Uint8Array>, buffers: PartBuffers): AsyncGenerator<Uint8Array> {
  const { bytes } = buffers;
  let part = buffers.take();
  let filled = 0;
  for await (const chunk of stream)
    for (let at = 0; at < chunk.length; ) {
      const taken = Math.min(bytes - filled, chunk.length - at);
      part.set(chunk.subarray(at, at + taken), filled);
      filled += taken;
      at += taken;
      if (filled < bytes) continue;
      yield part;
      part = buffers.take();
      filled = 0;
    }
  if (filled > 0) yield part.subarray(0, filled);
}

async function* joined<T>(start: readonly T[], rest: AsyncGenerator<T>): AsyncGenerator<T> {
  yield* start;
  yield* rest;
}

function tooLarge({ bytes }: PartLimits): string {
  return `It is larger than ${MAX_PARTS} parts of ${bytes} bytes`;
}
