/**
 * S3 services that exist, started from Debian's packages on the loopback address: Ceph's radosgw and OpenStack's swift-proxy. Where
 * the programs are not installed, `start` is undefined and the caller says what it skips.
 */
import { AwsClient } from "aws4fetch";
import { ceph } from "./ceph.ts";
import { swift } from "./swift.ts";

/** A running service with one user and the buckets "files" and "backups". */
export interface ObjectStore {
  /** Addresses a bucket by the path: `endpoint/bucket/key`. */
  readonly endpoint: string;
  /** Addresses the bucket "files" by the name of the host. */
  readonly hostEndpoint: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly region: string;
  readonly bucket: string;
  stop(): Promise<void>;
}

/** A service that may be installed. */
export interface InstallableStore {
  readonly name: string;
  /** Debian's packages, for the line that says what is skipped. */
  readonly packages: string;
  /** Undefined where a program is missing. */
  readonly start: (() => Promise<Omit<ObjectStore, "bucket">>) | undefined;
}

/** The services that tests know. */
export const OBJECT_STORES: readonly InstallableStore[] = [ceph, swift];

/** Starts a service and creates its buckets; undefined where it is not installed. */
export async function startObjectStore(store: InstallableStore): Promise<ObjectStore | undefined> {
  if (!store.start) return undefined;
  const running = { ...(await store.start()), bucket: "files" };
  const { accessKeyId, secretAccessKey, region } = running;
  const client = new AwsClient({ accessKeyId, secretAccessKey, region, service: "s3", retries: 0 });
  for (const bucket of ["files", "backups"]) {
    const made = await client.fetch(`${running.endpoint}/${bucket}`, { method: "PUT" });
    if (!made.ok) throw new Error(`Cannot create a bucket of ${store.name}: ${made.status} ${await made.text()}`);
  }
  return running;
}
