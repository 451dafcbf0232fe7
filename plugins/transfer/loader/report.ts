/** Outcomes of the items of one kind. */
export interface Tally {
  created: number;
  updated: number;
  skipped: number;
  failed: number;
}

/** The result of a run. */
export interface Report {
  readonly books: Tally;
  readonly chapters: Tally;
  readonly pages: Tally;
  readonly images: Tally;
  readonly attachments: Tally;
  linksRewritten: number;
  linksUnresolved: number;
  /** Images that are missing, or of an unsupported type. */
  imagesSkipped: number;
  /** What was not found, each with the file that links to it or shows it. */
  readonly notFound: string[];
  /** Pages of earlier runs whose files are gone; they remain on the server. */
  orphans: number;
  seconds: number;
  /** Whether the run ended early. */
  stopped: boolean;
}

/** An empty report. */
export function emptyReport(): Report {
  const emptyTally = (): Tally => ({ created: 0, updated: 0, skipped: 0, failed: 0 });
  return {
    books: emptyTally(),
    chapters: emptyTally(),
    pages: emptyTally(),
    images: emptyTally(),
    attachments: emptyTally(),
    linksRewritten: 0,
    linksUnresolved: 0,
    imagesSkipped: 0,
    notFound: [],
    orphans: 0,
    seconds: 0,
    stopped: false,
  };
}

/** Whether nothing failed. */
export function isClean({ books, chapters, pages, images, attachments, stopped }: Report): boolean {
  return !stopped && [books, chapters, pages, images, attachments].every(({ failed }) => failed === 0);
}

/** The greatest number of lines about what was not found. */
const MAX_NOT_FOUND = 200;

function linesOfNotFound(notFound: readonly string[]): string[] {
  const named = notFound.toSorted().slice(0, MAX_NOT_FOUND);
  const more = notFound.length - named.length;
  return [...named.map((line) => `not found ${line}`), ...(more > 0 ? [`          … and ${more} more`] : [])];
}

/** Formats the report as lines of text. */
export function linesOfReport(report: Report): string[] {
  const rows = (["books", "chapters", "pages", "images", "attachments"] as const).flatMap((kind) => {
    const { created, updated, skipped, failed } = report[kind];
    if (kind === "attachments" && created + updated + skipped + failed === 0) return [];
    return `${(kind === "attachments" ? "files" : kind).padEnd(9)} ${created} created, ${updated} updated, ${skipped} skipped, ${failed} failed`;
  });
  const links = `links     ${report.linksRewritten} rewritten, ${report.linksUnresolved} to what is not in the folder`;
  const skippedImages = `skipped   ${report.imagesSkipped} images that are missing or of an unsupported type`;
  const orphans = `orphaned  ${report.orphans} pages of earlier runs whose files are gone`;
  return [
    ...rows,
    links,
    ...(report.imagesSkipped > 0 ? [skippedImages] : []),
    ...(report.orphans > 0 ? [orphans] : []),
    ...linesOfNotFound(report.notFound),
    `${report.stopped ? "stopped after" : "time     "} ${report.seconds.toFixed(1)} s`,
  ];
}
