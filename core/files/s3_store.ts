/**
 * A store of files in a bucket of an S3-compatible service. Large content goes out in parts while it is read, so that
 * memory holds a few parts at most; the service shows a file once its last part has arrived, which makes writing atomic.
 * A crash in between leaves parts that no listing shows: a lifecycle rule of the bucket should end unfinished uploads.
 */
import { S3Client } from "bun";
import { isUpload } from "../input/uploads.ts";
import { type ByteRange, checkedKey, type FileContent, type FileStore } from "./file_store.ts";

/** Where the bucket is, and with which key it is opened. */
export interface S3Options {
  /** Such as "https://s3.example.com"; the bucket's name comes after it as first part of the path. */
  readonly endpoint: string;
  readonly bucket: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly region: string;
}

/** The least that the protocol allows for any but the last part. */
const PART_BYTES = 5 * 1024 * 1024;
const PARTS_AT_ONCE = 2;

/** A store in a bucket. Nothing is asked of the service before it is used. */
export function s3Store(options: S3Options): FileStore {
  const client = new S3Client({ ...options });
  return {
    async put(key, content) {
      try {
        return await upload(client, checkedKey(key), content);
      } catch (cause) {
        throw new Error(`Cannot store the file "${key}"`, { cause });
      }
    },
    async get(key) {
      const found = await client.stat(checkedKey(key)).catch(whenMissing);
      if (!found) return undefined;
      const part = ({ start, end }: ByteRange) => client.file(key).slice(start, end);
      const stream = (range: ByteRange = { start: 0, end: found.size }) =>
        range.end > range.start ? part(range).stream() : new Blob([]).stream();
      return {
        size: found.size,
        modified: new Date(found.lastModified),
        stream: stream as (range?: ByteRange) => ReadableStream<Uint8Array>,
        body: stream as (range?: ByteRange) => ReadableStream<Uint8Array>,
        bytes: () => client.file(key).bytes(),
      };
    },
    async remove(key) {
      await client.delete(checkedKey(key)).catch(whenMissing);
    },
    async *list(prefix = "") {
      let continuationToken: string | undefined;
      do {
        const page = await client.list({ prefix, ...(continuationToken ? { continuationToken } : {}) });
        for (const { key, size = 0, lastModified = 0 } of page.contents ?? [])
          yield { key, size: Number(size), modified: new Date(lastModified) };
        continuationToken = page.isTruncated ? page.nextContinuationToken : undefined;
      } while (continuationToken !== undefined);
    },
  };
}

/** A stream that breaks ends the upload without completing it, so nothing of it is ever seen. */
function upload(client: S3Client, key: string, content: FileContent): Promise<number> {
  const body = isUpload(content) ? content.stream() : content;
  const source = body instanceof ReadableStream ? new Response(body) : body;
  return client.write(key, source as Blob, { partSize: PART_BYTES, queueSize: PARTS_AT_ONCE });
}

function whenMissing(error: unknown): undefined {
  const code = (error as { code?: unknown }).code;
  if (code !== "NoSuchKey" && code !== "NotFound") throw error;
}
