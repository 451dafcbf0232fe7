import { type Static, t } from "lectern/core";

/** The settings of the object store. */
export const settings = t.Object({
  filesS3Bucket: t.String({
    default: "",
    env: "FILES_S3_BUCKET",
    place: { of: "files", otherNames: ["FILES_BUCKET", "S3_BUCKET", "STORAGE_S3_BUCKET"] },
    description: "Keeps uploaded files in this bucket of an S3-compatible service; below DATA_DIR if empty",
  }),
  filesS3Endpoint: t.String({ default: "", env: "FILES_S3_ENDPOINT", description: "Address of that service" }),
  filesS3Key: t.String({ default: "", env: "FILES_S3_KEY", description: "Id of the access key" }),
  filesS3Secret: t.String({ default: "", env: "FILES_S3_SECRET", description: "Secret of the access key" }),
  filesS3Region: t.String({ default: "us-east-1", env: "FILES_S3_REGION", description: "Region of the bucket" }),
  filesS3VirtualHost: t.Boolean({
    default: false,
    env: "FILES_S3_VIRTUAL_HOST",
    description:
      "Addresses the bucket as the first part of the host name (`bucket.s3.example.com`) in place of the path",
  }),
  filesS3PartMb: t.Integer({
    default: 8,
    minimum: 5,
    maximum: 1024,
    constant: true,
    description:
      "Larger files are uploaded in parts of this many mebibytes, at most 10,000: enough for the largest file that is taken, and little memory",
  }),
  filesS3Parallel: t.Integer({
    default: 3,
    minimum: 1,
    maximum: 32,
    constant: true,
    description:
      "Parts of one upload that are sent at a time, after which more gained nothing; its buffers are two more",
  }),
  filesS3TimeoutSeconds: t.Integer({
    default: 60,
    minimum: 1,
    maximum: 3600,
    constant: true,
    description:
      "Seconds until an answer of the service begins, and of silence within a download: stores that scan large files take tens of them",
  }),
  filesS3Attempts: t.Integer({
    default: 5,
    minimum: 1,
    maximum: 20,
    constant: true,
    description:
      "How often a request that fails for a passing reason is sent at most, after growing pauses, so that a restart of the service passes unseen",
  }),
  filesS3SignedSeconds: t.Integer({
    default: 0,
    minimum: 0,
    maximum: 3600,
    env: "FILES_S3_SIGNED_DOWNLOADS_SECONDS",
    unit: "seconds",
    description:
      "Redirects downloads that are not public to signed addresses of the object store, which hold for at most so long; 0 for none ([object stores](README.md#object-stores))",
  }),
  filesS3PublicEndpoint: t.String({
    default: "",
    env: "FILES_S3_PUBLIC_ENDPOINT",
    description:
      "Address of the object store in signed addresses, where browsers need another one than FILES_S3_ENDPOINT",
  }),
});

/** Their values. */
export type S3Settings = Static<typeof settings>;
