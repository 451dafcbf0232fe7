/**
 * A file store in a bucket of an S3-compatible service. A file appears with the end of its upload, which makes writes atomic. A
 * crash leaves the parts of an upload, which listings do not show: `unfinished` finds them, and sweeps end them by their age.
 */
import { type ByteRange, checkedKey, type FileStore } from "lectern/core";
import { download } from "./download.ts";
import { type S3Connection, S3Error, type S3Requests, s3Requests } from "./requests.ts";
import { endUpload, type PartLimits, unfinishedUploads, upload } from "./upload.ts";
import { elementsOf, textOf } from "./xml.ts";

/** Downloads from the bucket itself by signed addresses. */
export interface SignedDownloads {
  /** How long an address may be used. */
  readonly seconds: number;
  /** The address of the service for browsers, where it differs from the endpoint. */
  readonly endpoint?: string;
}

/** The bucket and its access key. */
export interface S3Options extends S3Connection {
  readonly parts?: PartLimits;
  /** Files have no signed addresses if absent. */
  readonly signed?: SignedDownloads;
}

/** By default 8 MiB, of which three are sent at a time: an upload has 40 MiB of buffers. */
export const S3_PARTS: PartLimits = { bytes: 8 * 1024 * 1024, parallel: 3 };

/** A store in a bucket. It connects on first use. Throws TypeError for an endpoint that is no address. */
export function s3Store(options: S3Options): FileStore {
  const requests = s3Requests(options);
  const { parts = S3_PARTS, signed } = options;
  return {
    async put(key, content) {
      try {
        return await upload(requests, checkedKey(key), content, parts);
      } catch (cause) {
        throw new Error(`Cannot store the file "${key}"`, { cause });
      }
    },
    async get(key) {
      const found = await headOf(requests, checkedKey(key));
      if (!found) return undefined;
      const { size, etag, modified } = found;
      const stream = ({ start, end }: ByteRange = { start: 0, end: size }) =>
        end > start ? download(requests, { key, etag }, { start, end }) : new Blob([]).stream();
      return {
        size,
        modified,
        stream,
        body: stream,
        bytes: () => new Response(stream()).bytes(),
        ...(signed && {
          signedAddress: ({ type, disposition }) =>
            requests.signedAddress({ key, seconds: signed.seconds, type, disposition }, signed.endpoint),
        }),
      };
    },
    async remove(key) {
      await requests.send({ method: "DELETE", key: checkedKey(key) }).catch(undefinedIfMissing);
    },
    async *list(prefix = "") {
      let token: string | undefined;
      do {
        const query = {
          "list-type": "2",
          prefix,
          ...(token && { "continuation-token": token }),
        };
        const xml = await requests.text({ method: "GET", query });
        for (const element of elementsOf(xml, "Contents"))
          yield {
            key: textOf(element, "Key") ?? "",
            size: Number(textOf(element, "Size")),
            modified: new Date(textOf(element, "LastModified") ?? 0),
          };
        token = textOf(xml, "IsTruncated") === "true" ? textOf(xml, "NextContinuationToken") : undefined;
      } while (token !== undefined);
    },
    unfinished: {
      list: (prefix = "") => unfinishedUploads(requests, prefix),
      end: (one) => endUpload(requests, one),
    },
  };
}

/** What HEAD says of an object; undefined if there is none. */
async function headOf(requests: S3Requests, key: string) {
  const answer = await requests.send({ method: "HEAD", key }).catch(undefinedIfMissing);
  if (!answer) {
    // The answer to HEAD has no code, and is the same for an object and for a bucket that is missing.
    await requests.send({ method: "HEAD" }).catch((error: unknown) => {
      if (error instanceof S3Error && error.status === 404) throw new S3Error("NoSuchBucket", 404, NO_BUCKET);
      // A key that may read objects need not be one that may look at the bucket.
      if (!(error instanceof S3Error && error.status === 403)) throw error;
    });
    return undefined;
  }
  const { headers } = answer;
  return {
    size: Number(headers.get("content-length")),
    etag: headers.get("etag") ?? "",
    modified: new Date(headers.get("last-modified") ?? 0),
  };
}

const NO_BUCKET = "the bucket does not exist";

function undefinedIfMissing(error: unknown): undefined {
  if (!(error instanceof S3Error) || (error.code !== "NoSuchKey" && error.code !== "NotFound")) throw error;
}
