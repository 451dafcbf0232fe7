import { definePlugin } from "lectern/core";
import { bucketStore } from "./bucket.ts";
import { settings } from "./settings.ts";

/** Uploaded files in a bucket of an S3-compatible service, in place of the data folder, and backups in buckets. */
export default definePlugin({
  name: "s3_files",
  settings,
  fileStore: bucketStore,
  setup() {},
});
