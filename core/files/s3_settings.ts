/** The store in a bucket as the settings FILES_S3 describe it, for uploaded files and for backups. */
import { BootError } from "../errors.ts";
import type { S3Config } from "../s3_fields.ts";
import { SECOND_MS } from "../std/time.ts";
import type { FileStore } from "./file_store.ts";
import { s3Store } from "./s3_store.ts";

/** The store in a bucket; undefined where the endpoint or the key is not set. Throws BootError for a setting that cannot be used. */
export function configuredBucket(bucket: string, config: S3Config): FileStore | undefined {
  const { filesS3Endpoint: endpoint, filesS3Key, filesS3Secret, filesS3PublicEndpoint } = config;
  if (endpoint === "" || filesS3Key === "" || filesS3Secret === "") return undefined;
  checkAddress("FILES_S3_ENDPOINT", endpoint);
  if (filesS3PublicEndpoint !== "") checkAddress("FILES_S3_PUBLIC_ENDPOINT", filesS3PublicEndpoint);
  return s3Store({
    endpoint,
    bucket,
    accessKeyId: filesS3Key,
    secretAccessKey: filesS3Secret,
    region: config.filesS3Region,
    virtualHost: config.filesS3VirtualHost,
    timeoutMs: config.filesS3TimeoutSeconds * SECOND_MS,
    attempts: config.filesS3Attempts,
    parts: { bytes: config.filesS3PartMb * 1024 * 1024, parallel: config.filesS3Parallel },
    ...(config.filesS3SignedSeconds > 0 && {
      signed: {
        seconds: config.filesS3SignedSeconds,
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
