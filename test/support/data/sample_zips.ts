/** ZIP files built byte by byte, so that sizes, checksums, offsets and names can be wrong. What is not given is right. */
import { crc32, deflateRawSync } from "node:zlib";
import type { Answer, TestRuntime } from "../harness/test_runtime.ts";

/** A file of an archive, and its headers. */
export interface Packed {
  readonly name: string;
  readonly content?: Uint8Array | string;
  /** Stored by default; bytes that are compressed already are taken as they are. */
  readonly deflate?: boolean | Uint8Array;
  readonly size?: number;
  readonly packedSize?: number;
  readonly crc?: number;
  readonly flags?: number;
  readonly method?: number;
  /** As Unix has them: 0o120777 is a link. */
  readonly mode?: number;
  /** Attributes as DOS and Windows have them: 0x400 is a link. */
  readonly attributes?: number;
  /** The system it claims to come from: 3 for Unix, 0 for DOS, 10 for Windows. */
  readonly system?: number;
  readonly offset?: number;
}

/** What the end of an archive says. */
export interface End {
  readonly count?: number;
  readonly comment?: string;
  readonly start?: number;
}

/** An archive of these files. */
export function zipOf(files: readonly Packed[], end: End = {}): Uint8Array<ArrayBuffer> {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let at = 0;
  for (const file of files) {
    const content = Buffer.from(file.content ?? "");
    const packed =
      file.deflate instanceof Uint8Array ? Buffer.from(file.deflate) : file.deflate ? deflateRawSync(content) : content;
    const name = Buffer.from(file.name);
    const about = Buffer.alloc(26);
    about.writeUInt16LE(20, 0);
    about.writeUInt16LE(file.flags ?? 0x800, 2);
    about.writeUInt16LE(file.method ?? (file.deflate ? 8 : 0), 4);
    about.writeUInt32LE(file.crc ?? crc32(content), 10);
    about.writeUInt32LE(file.packedSize ?? packed.length, 14);
    about.writeUInt32LE(file.size ?? content.length, 18);
    about.writeUInt16LE(name.length, 22);
    const place = Buffer.alloc(14);
    place.writeUInt32LE((((file.mode ?? 0o100644) << 16) | (file.attributes ?? 0)) >>> 0, 6);
    place.writeUInt32LE(file.offset ?? at, 10);
    directory.push(Buffer.from([...Buffer.from("PK\x01\x02\x14"), file.system ?? 3]), about, place, name);
    const local = [Buffer.from("PK\x03\x04", "latin1"), about, name, packed];
    parts.push(...local);
    at += local.reduce((sum, part) => sum + part.length, 0);
  }
  const listed = Buffer.concat(directory);
  const comment = Buffer.from(end.comment ?? "");
  const last = Buffer.alloc(22);
  last.write("PK\x05\x06", 0, "latin1");
  last.writeUInt16LE(end.count ?? files.length, 8);
  last.writeUInt16LE(end.count ?? files.length, 10);
  last.writeUInt32LE(listed.length, 12);
  last.writeUInt32LE(end.start ?? at, 16);
  last.writeUInt16LE(comment.length, 20);
  return new Uint8Array(Buffer.concat([...parts, listed, last, comment]));
}

/** A portable archive with this data and these files below "files/". */
export function portable(
  data: unknown,
  files: Readonly<Record<string, Uint8Array | string>> = {},
): Uint8Array<ArrayBuffer> {
  return zipOf([
    { name: "data.json", content: typeof data === "string" ? data : JSON.stringify(data), deflate: true },
    ...Object.entries(files).map(([name, content]) => ({ name: `files/${name}`, content })),
  ]);
}

/** Uploads an archive. */
export async function upload(
  runtime: TestRuntime,
  bytes: Uint8Array<ArrayBuffer>,
  as = runtime.token,
): Promise<Answer> {
  const parts = new FormData();
  parts.set("file", new File([bytes], "content.zip", { type: "application/zip" }));
  return runtime.ask("POST", "/api/imports", { parts, as });
}
