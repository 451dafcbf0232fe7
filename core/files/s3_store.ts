/**
 * A file store in a bucket of an S3-compatible service. Large content is uploaded in parts while it is read, so that a few
 * parts are in memory at most. A file appears with its last part, which makes writes atomic. A crash leaves parts that
 * listings do not show: the bucket should have a lifecycle rule that aborts incomplete uploads.
 */
import { S3Client } from "bun";
import { isUpload } from "../input/uploads.ts";
import { type ByteRange, checkedKey, type FileContent, type FileStore } from "./file_store.ts";

/** The bucket and its access key. */
export interface S3Options {
  /** Such as "https://s3.example.com"; the name of the bucket is the first part of the path. */
  readonly endpoint: string;
  readonly bucket: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly region: string;
}

/** The minimum of the protocol for all parts but the last. */
const PART_BYTES = 5 * 1024 * 1024;
const PARTS_AT_ONCE = 2;

/** A store in a bucket. It connects on first use. */
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
      const found = await client.stat(checkedKey(key)).catch(undefinedIfMissing);
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
      await client.delete(checkedKey(key)).catch(undefinedIfMissing);
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

/** Uploads content in parts. A stream that fails aborts the upload, so that no part of it becomes visible. */
function upload(client: S3Client, key: string, content: FileContent): Promise<number> {
  const body = isUpload(content) ? content.stream() : content;
  const source = body instanceof ReadableStream ? new Response(body) : body;
  return client.write(key, source as Blob, { partSize: PART_BYTES, queueSize: PARTS_AT_ONCE });
}

function undefinedIfMissing(error: unknown): undefined {
  const code = (error as { code?: unknown }).code;
  if (code !== "NoSuchKey" && code !== "NotFound") throw error;
}
