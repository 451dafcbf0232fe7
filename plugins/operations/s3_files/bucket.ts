/** Buckets as the settings FILES_S3 describe them: that of uploaded files, and others for backups. */
import { BootError, type DeclaredFileStore, type FileStore, SECOND_MS } from "lectern/core";
import type { S3Settings } from "./settings.ts";
import { s3Store } from "./store.ts";

/** The bucket of FILES_S3_BUCKET, and those of addresses "s3://bucket/path". */
export const bucketStore: DeclaredFileStore<S3Settings> = {
  name: "s3",
  check: "FILES_S3_ENDPOINT, FILES_S3_KEY and FILES_S3_SECRET",
  place: ({ filesS3Bucket }) => filesS3Bucket,
  describe: ({ filesS3Bucket, filesS3Endpoint }) => `the bucket "${filesS3Bucket}" at ${filesS3Endpoint}`,
  open(settings) {
    const { filesS3Bucket: bucket } = settings;
    if (bucket === "")
      throw new BootError("Cannot store files in a bucket: FILES_STORE is s3, but FILES_S3_BUCKET is empty");
    const store = storeIn(bucket, settings);
    if (store) return store;
    throw new BootError("Cannot store files in a bucket: set FILES_S3_ENDPOINT, FILES_S3_KEY and FILES_S3_SECRET too");
  },
  openOther(bucket, settings) {
    const store = storeIn(bucket, settings);
    if (store) return store;
    throw new BootError(
      "Cannot use a bucket for backups: set FILES_S3_ENDPOINT, FILES_S3_KEY and FILES_S3_SECRET, whose key has to have access to it",
    );
  },
};

/** The store in a bucket; undefined where the endpoint or the key is not set. Throws BootError for a setting that cannot be used. */
function storeIn(bucket: string, settings: S3Settings): FileStore | undefined {
  const { filesS3Endpoint: endpoint, filesS3Key, filesS3Secret, filesS3PublicEndpoint } = settings;
  if (endpoint === "" || filesS3Key === "" || filesS3Secret === "") return undefined;
  checkAddress("FILES_S3_ENDPOINT", endpoint);
  if (filesS3PublicEndpoint !== "") checkAddress("FILES_S3_PUBLIC_ENDPOINT", filesS3PublicEndpoint);
  return s3Store({
    endpoint,
    bucket,
    accessKeyId: filesS3Key,
    secretAccessKey: filesS3Secret,
    region: settings.filesS3Region,
    virtualHost: settings.filesS3VirtualHost,
    timeoutMs: settings.filesS3TimeoutSeconds * SECOND_MS,
    attempts: settings.filesS3Attempts,
    parts: { bytes: settings.filesS3PartMb * 1024 * 1024, parallel: settings.filesS3Parallel },
    ...(settings.filesS3SignedSeconds > 0 && {
      signed: {
        seconds: settings.filesS3SignedSeconds,
        ...(filesS3PublicEndpoint !== "" && { endpoint: filesS3PublicEndpoint }),
      },
    }),
  });
}

function checkAddress(name: string, address: string): void {
  const url = URL.parse(address);
  if (!url || !["http:", "https:"].includes(url.protocol) || url.search !== "" || url.hash !== "")
    throw new BootError(`${name} must be an address such as "https://s3.example.com", without a query`);
}
