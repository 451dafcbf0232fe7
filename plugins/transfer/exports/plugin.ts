import { exportSlots, shownContent } from "lectern/contracts";
import { definePlugin, sharedLimits, t } from "lectern/core";
import { htmlFormat, type ShowPage } from "./html.ts";
import { markdownFormat } from "./markdown.ts";
import { pdfFormat } from "./pdf/format.ts";
import { plaintextFormat } from "./plaintext.ts";
import { mountExports } from "./routes.ts";
import { zipFormat } from "./zip.ts";

/** Exports content as HTML, PDF, plain text, Markdown and portable ZIP (content-api 15). Kinds and formats come from slots. */
export default definePlugin({
  name: "exports",
  requires: ["markup", "system"],
  permissions: ["content-export"],
  settings: t.Object({
    pdfCommand: t.String({
      default: "",
      env: "EXPORT_PDF_COMMAND",
      description:
        "A command that makes PDFs in place of Typst, such as `weasyprint {input_html_path} {output_pdf_path}`; none makes no PDFs, which answers 501",
    }),
    pdfPaper: t.Union([t.Literal("a4"), t.Literal("letter")], {
      default: "a4",
      env: "EXPORT_PAGE_SIZE",
      description: "Paper of PDFs: a4 or letter",
    }),
    databaseTimeoutMs: sharedLimits.databaseTimeoutMs,
    childSeconds: sharedLimits.childSeconds,
    childMegabytes: sharedLimits.childMegabytes,
    pdfSeconds: t.Integer({
      default: 120,
      minimum: 1,
      constant: true,
      times: { of: "childSeconds", by: 4 },
      description: "Seconds that making a PDF may take: a book has many pages",
    }),
    pdfMegabytes: t.Integer({
      default: 2048,
      minimum: 64,
      constant: true,
      times: { of: "childMegabytes", by: 2 },
      description: "Megabytes that making a PDF may take: a book has many pages and their pictures",
    }),
    readTimeoutMs: t.Integer({
      default: 30_000,
      minimum: 100,
      constant: true,
      times: { of: "databaseTimeoutMs", by: 6 },
      description:
        "How long the store may take for each statement that reads what is exported (503 beyond): whole books are read",
    }),
  }),
  slots: exportSlots,
  setup(context) {
    const { children, contracts, contribute, log, settings, slot } = context;
    const show: ShowPage = (html, { markdown }, { id }) =>
      shownContent(slot("page_content"), { html, markdown, target: "export", viewer: { id } });
    contribute("export_format", htmlFormat({ markup: contracts.markup, children, show }));
    contribute(
      "export_format",
      pdfFormat({
        markup: contracts.markup,
        children,
        show,
        log,
        command: settings.pdfCommand,
        paper: settings.pdfPaper === "letter" ? "us-letter" : "a4",
        seconds: settings.pdfSeconds,
        megabytes: settings.pdfMegabytes,
      }),
    );
    contribute("export_format", plaintextFormat(contracts.markup.text));
    contribute("export_format", markdownFormat(children));
    contribute("export_format", zipFormat(contracts.system));
    mountExports(context);
  },
});
