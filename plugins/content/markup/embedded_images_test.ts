import { describe, expect, test } from "bun:test";
import type { EmbeddedPicture } from "lectern/contracts";
import { scaled } from "../../../test/support/harness/machine_speed.ts";
import { decodeImage } from "./embedded_images.ts";
import { maxImageBytes } from "./limits.ts";
import { markup } from "./markup.ts";

const GIF = "R0lGODlhAQABAAAAACwAAAAAAQABAAA=";
const HEADS: Record<string, Uint8Array> = {
  png: bytes("\x89PNG\r\n\x1a\n...."),
  jpg: bytes("\xff\xd8\xff\xe0"),
  jpeg: bytes("\xff\xd8\xff\xe0"),
  gif: bytes("GIF89a"),
  webp: bytes("RIFF\0\0\0\0WEBPVP8 "),
  avif: bytes("\0\0\0\x20ftypavif"),
};

function bytes(text: string): Uint8Array {
  return new Uint8Array(Buffer.from(text, "latin1"));
}

function dataUrl(type: string, content: Uint8Array): string {
  return `data:image/${type};base64,${Buffer.from(content).toString("base64")}`;
}

function gallery(): { saved: EmbeddedPicture[]; saveImage: (picture: EmbeddedPicture) => Promise<string> } {
  const saved: EmbeddedPicture[] = [];
  return { saved, saveImage: async (picture) => `https://docs.test/${saved.push(picture)}.${picture.extension}` };
}

describe("base64 images", () => {
  test.each(Object.keys(HEADS))("of type %s are saved and linked", async (type) => {
    const { saved, saveImage } = gallery();
    const html = `<p>Look <img src="${dataUrl(type, HEADS[type] ?? bytes(""))}" alt="dot"></p>`;
    const content = await markup.store({ html }, { saveImage });
    expect(content.html).toBe(`<p id="bkmrk-look">Look <img src="https://docs.test/1.${type}" alt="dot"></p>`);
    expect(saved).toEqual([{ bytes: HEADS[type] ?? bytes(""), extension: type }]);
  });

  test("white space inside the data is tolerated", async () => {
    const { saveImage } = gallery();
    const html = `<img src="data:image/gif;base64,${GIF.replace(/(.{8})/g, "$1\n ")}">`;
    expect((await markup.store({ html }, { saveImage })).html).toContain('src="https://docs.test/1.gif"');
  });

  test.each([
    ["no image inside", "data:image/png;base64,bm90IGFuIGltYWdl"],
    ["a type that is not allowed", "data:image/svg+xml;base64,PHN2Zy8+"],
    ["data that cannot be decoded", "data:image/png;base64,%%%"],
    ["no data", "data:image/png;base64,"],
    ["no comma", "data:image/png"],
  ])("%s: the source becomes empty", async (_name, src) => {
    const { saved, saveImage } = gallery();
    const content = await markup.store({ html: `<p>Bad <img src="${src}" alt="bad"></p>` }, { saveImage });
    expect(content.html).toBe('<p id="bkmrk-bad">Bad <img src="" alt="bad"></p>');
    expect(saved).toEqual([]);
  });

  test("images that may not be saved lose their source", async () => {
    const html = `<p>a<img src="data:image/gif;base64,${GIF}"></p>`;
    expect((await markup.store({ html })).html).toBe('<p id="bkmrk-a">a<img src=""></p>');
    expect((await markup.store({ html }, { saveImage: async () => undefined })).html).toBe(
      '<p id="bkmrk-a">a<img src=""></p>',
    );
  });

  test("an image beyond the size limit is not decoded", () => {
    expect(
      decodeImage(`data:image/gif;base64,${GIF.slice(0, 12)}${"A".repeat(Math.ceil(maxImageBytes / 3) * 4)}`),
    ).toBeUndefined();
  });

  test("images with other URLs do not change", async () => {
    const html = '<p id="bkmrk-a">a<img src="/x.png"></p>';
    expect((await markup.store({ html })).html).toBe(html);
  });
});

describe("base64 images in Markdown", () => {
  test("are replaced in the Markdown that is stored", async () => {
    const { saveImage } = gallery();
    const markdown = `Dot ![tiny](data:image/gif;base64,${GIF} "t") and ![two](data:image/gif;base64,${GIF})`;
    const content = await markup.store({ markdown }, { saveImage });
    expect(content.markdown).toBe('Dot ![tiny](https://docs.test/1.gif "t") and ![two](https://docs.test/2.gif)');
    expect(content.html).toContain('<img src="https://docs.test/1.gif" alt="tiny" title="t">');
  });

  test("that cannot be saved lose their URL", async () => {
    const content = await markup.store({ markdown: `![tiny](data:image/gif;base64,${GIF})` });
    expect(content.markdown).toBe("![tiny]()");
    expect(content.html).toBe('<p id="bkmrk-"><img src="" alt="tiny"></p>\n');
  });

  test.each([
    ["raw HTML", `<img src="data:image/gif;base64,${GIF}" alt="dot">`, '<img src="https://docs.test/1.gif" alt="dot">'],
    [
      "raw HTML in a paragraph, wrapped",
      `Look <img alt='dot' src='data:image/gif;base64,${GIF.slice(0, 9)}\n   ${GIF.slice(9)}'> here`,
      "Look <img alt='dot' src='https://docs.test/1.gif'> here",
    ],
    [
      "a reference",
      `![dot][r]\n\n[r]: data:image/gif;base64,${GIF} "t"`,
      '![dot][r]\n\n[r]: https://docs.test/1.gif "t"',
    ],
    [
      "a reference in brackets that ends the text",
      `![dot][r]\n\n[r]: <data:image/gif;base64,${GIF}>`,
      "![dot][r]\n\n[r]: <https://docs.test/1.gif>",
    ],
    ["a text of two lines", `![two\nlines](data:image/gif;base64,${GIF})`, "![two\nlines](https://docs.test/1.gif)"],
    [
      "the same twice, one longer",
      `<img src="data:image/gif;base64,${GIF}"><img src="data:image/gif;base64,${GIF}">\n\n![a][r]\n\n[r]: data:image/gif;base64,${GIF.slice(0, -1)}AAAA`,
      '<img src="https://docs.test/1.gif"><img src="https://docs.test/1.gif">\n\n![a][r]\n\n[r]: https://docs.test/2.gif',
    ],
  ])("written as %s are replaced in both, and saving again adds none", async (_name, markdown, replaced) => {
    const { saved, saveImage } = gallery();
    const content = await markup.store({ markdown }, { saveImage });
    expect(content.markdown).toBe(replaced);
    expect(content.html).toContain('src="https://docs.test/1.gif"');
    const count = saved.length;
    const again = await markup.store({ markdown: content.markdown }, { saveImage });
    expect([again.html, saved.length]).toEqual([content.html, count]);
  });

  test("whose data URL is not found in the source are not saved, since each save would add them again", async () => {
    const { saved, saveImage } = gallery();
    const markdown = `<img src="data&#58;image/gif;base64,${GIF}">`;
    const content = await markup.store({ markdown }, { saveImage });
    expect([content.markdown, saved.length]).toEqual([markdown, 0]);
    expect(content.html).toContain('<img src=""');
  });

  test("of other types keep their source in Markdown, and are not shown", async () => {
    const { saved, saveImage } = gallery();
    const markdown = "![b](data:image/svg+xml;base64,PHN2Zy8+)";
    const content = await markup.store({ markdown }, { saveImage });
    expect([content.markdown, saved.length]).toEqual([markdown, 0]);
    expect(content.html).toContain('<img src="data:image/svg+xml;base64,PHN2Zy8+" alt="b">');
    expect(content.rendered).toBe('<p id="bkmrk-"></p>\n');
  });

  test("in text outside of images do not change", async () => {
    const markdown = "The prefix `data:image/png;base64,AAAA` says it";
    expect((await markup.store({ markdown })).markdown).toBe(markdown);
  });

  test("many data URLs that are no images take linear time", async () => {
    const many = Array.from({ length: 20_000 }, (_, at) => `<img src="data:image/${at}">`).join("\n");
    const started = performance.now();
    expect((await markup.store({ markdown: many })).markdown).toBe(many);
    expect(performance.now() - started).toBeLessThan(scaled(10_000));
  });
});
