import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import sharp from "sharp";
import type { TestRuntime } from "../harness/test_runtime.ts";

/** A form with a picture and other fields. */
export function pictureForm(content: Uint8Array<ArrayBuffer>, name: string, fields: object = {}): FormData {
  const parts = new FormData();
  for (const [field, value] of Object.entries(fields)) parts.set(field, String(value));
  parts.set("image", new File([content], name));
  return parts;
}

/** The raw answer and bytes behind an address, as a browser without any credentials gets them. */
export async function fetched(
  runtime: TestRuntime,
  url: string,
): Promise<{ response: Response; status: number; bytes: Uint8Array }> {
  const response = await runtime.runtime.http.handle(new Request(url), "127.0.0.1");
  return { response, status: response.status, bytes: new Uint8Array(await response.arrayBuffer()) };
}

/** Keys of the stored files of the plugin "images". */
export function imageFiles(runtime: TestRuntime): string[] {
  const root = join(runtime.dataDir, "files", "images");
  if (!existsSync(root)) return [];
  return readdirSync(root, { recursive: true })
    .map(String)
    .filter((name) => statSync(join(root, name)).isFile())
    .sort();
}

/** Hills under a sky, so that screenshots show something. */
export async function landscape(width: number, height: number): Promise<Uint8Array<ArrayBuffer>> {
  const raw = Uint8Array.from({ length: 90 * 60 * 3 }, (_, at) => {
    const [x, y] = [Math.floor(at / 3) % 90, Math.floor(at / 270)];
    const isHill = y > 32 + 10 * Math.sin(x / 9);
    return (isHill ? [93, 143 - y, 90] : [156, 201, 238 - y])[at % 3] ?? 0;
  });
  const small = sharp(raw, { raw: { width: 90, height: 60, channels: 3 } });
  return new Uint8Array(await small.resize(width, height, { fit: "fill" }).jpeg().toBuffer());
}
