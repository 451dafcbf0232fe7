/**
 * The logo of the instance and its icon in browsers, as administrators upload them. What is stored is never what was sent: the picture is decoded and
 * written anew as PNG, scaled down, so that neither a script, a place nor a format that a program takes for another is in it; SVG is refused as
 * no picture. Names have a digest of the content, so browsers keep them for ever. Which files are shown is said by the settings `app_logo` and
 * `app_icon`.
 */
import type { InstanceSettings } from "lectern/contracts";
import {
  ApiError,
  endpoint,
  type FileStore,
  fileKilobytes,
  fileResponse,
  notFound,
  type PluginContext,
  rules,
  type SiteApp,
  type Static,
  t,
  type Upload,
  type Viewer,
} from "lectern/core";
import type { ImageDecoder } from "./decoder.ts";

/** The path of the files, and their folder in the store. */
const FOLDER = "branding";
const NAME = /^(?:logo-[0-9a-f]{24}|icon-[0-9a-f]{24}-(?:32|192|512))\.png$/;
/** What pages and documents show of a logo, for displays with many pixels. */
const LOGO_BOX = { width: 1024, height: 256 };
/** Sides of icons: of a tab, and of an installed site. */
const ICON_SIZES = [32, 192, 512] as const;
/** Megabytes of an upload, far more than a logo has. */
const MAX_MB = 5;
const DIGEST_LENGTH = 24;
const POLICY = "default-src 'none'; sandbox";
const IMMUTABLE = "public, max-age=31536000, immutable";
const PERMIT = "settings-manage";

const uploadRules = rules({
  image: ["required", "file", "image_extension", "mimes:jpeg,png,gif,webp,avif", `max:${fileKilobytes(MAX_MB)}`],
});

/** A picture of the instance after an upload. */
const brandingSchema = t.Object(
  { path: t.String({ description: "Below the address of the instance" }) },
  { $id: "BrandingPicture" },
);

/** Dependencies of these routes. */
export interface BrandingContext {
  readonly decoder: ImageDecoder;
  readonly files: FileStore;
  readonly settings: InstanceSettings;
}

/** Mounts the uploads and the files. */
export function mountBranding(
  { app, callAs, validate }: Pick<PluginContext, "app" | "callAs" | "validate">,
  { decoder, files, settings }: BrandingContext,
): void {
  mountFiles(app.site, files);
  /** Names the files in a setting; takes them back where that is refused, such as for one that a variable sets. */
  const choose = async (viewer: Viewer, name: "app_logo" | "app_icon", path: string) => {
    await settings.fresh();
    const before = filesOf(settings.value(name));
    const answer = await callAs(viewer, "PUT", "/api/settings", { input: { [name]: path } });
    const gone = answer.ok ? before.filter((key) => !filesOf(path).includes(key)) : filesOf(path);
    if (answer.ok || !before.some((key) => gone.includes(key))) for (const key of gone) await files.remove(key);
    if (answer.ok) return { path };
    const { error } = (await answer.json()) as { error: { message: string; validation?: Record<string, string[]> } };
    throw new ApiError(answer.status, error.message, { validation: { image: error.validation?.[name] ?? [] } });
  };
  const digestOf = async (image: Upload) =>
    new Bun.CryptoHasher("sha256")
      .update(await image.bytes())
      .digest("hex")
      .slice(0, DIGEST_LENGTH);
  app.post(
    "/settings/logo",
    async ({ viewer, input }) => {
      const { image } = await validate(uploadRules, input, viewer);
      const bytes = await decoder.asPng(image, LOGO_BOX);
      const path = `/${FOLDER}/logo-${await digestOf(image)}.png`;
      for (const key of filesOf(path)) await files.put(key, bytes);
      return choose(viewer, "app_logo", path);
    },
    {
      permit: PERMIT,
      response: brandingSchema,
      ...endpoint("settings", "logo", {
        about: "Uploads the logo of the instance, which is stored as a PNG of at most 1024 by 256 pixels.",
        rules: uploadRules,
      }),
    },
  );
  app.post(
    "/settings/icon",
    async ({ viewer, input }) => {
      const { image } = await validate(uploadRules, input, viewer);
      const path = `/${FOLDER}/icon-${await digestOf(image)}`;
      for (const [at, key] of filesOf(path).entries()) {
        const side = ICON_SIZES[at] ?? 0;
        await files.put(key, await decoder.asPng(image, { width: side, height: side }, "square"));
      }
      return choose(viewer, "app_icon", path);
    },
    {
      permit: PERMIT,
      response: brandingSchema,
      ...endpoint("settings", "icon", {
        about: "Uploads the icon that browsers show of the instance, which is stored as square PNGs.",
        rules: uploadRules,
      }),
    },
  );
}

/** The keys of the files that a setting names. */
function filesOf(value: string): string[] {
  if (!value.startsWith(`/${FOLDER}/`)) return [];
  const key = value.slice(1);
  const keys = key.endsWith(".png") ? [key] : ICON_SIZES.map((side) => `${key}-${side}.png`);
  return keys.filter((each) => NAME.test(each.slice(FOLDER.length + 1)));
}

/** Those of some keys that settings name. */
export async function usedBranding(settings: InstanceSettings, keys: readonly string[]): Promise<string[]> {
  await settings.fresh();
  const used = [...filesOf(settings.value("app_logo")), ...filesOf(settings.value("app_icon"))];
  return keys.filter((key) => used.includes(key));
}

function mountFiles(site: SiteApp, files: FileStore): void {
  site.get(
    `/${FOLDER}/:name`,
    async ({ params: { name }, request }) => {
      const file = NAME.test(name) ? await files.get(`${FOLDER}/${name}`) : undefined;
      if (!file) throw notFound("Image");
      const headers = {
        "cache-control": IMMUTABLE,
        "content-security-policy": POLICY,
        "content-disposition": "inline",
        "x-content-type-options": "nosniff",
      };
      return fileResponse(request.headers, { file, etag: name, type: "image/png", headers });
    },
    { permit: "public" },
  );
}

declare module "lectern/contracts" {
  interface Answers {
    "POST /api/settings/icon": Static<typeof brandingSchema>;
    "POST /api/settings/logo": Static<typeof brandingSchema>;
  }
}
