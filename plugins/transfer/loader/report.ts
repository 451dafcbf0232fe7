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
  linksRewritten: number;
  linksUnresolved: number;
  /** Images that are missing, or of an unsupported type. */
  imagesSkipped: number;
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
    linksRewritten: 0,
    linksUnresolved: 0,
    imagesSkipped: 0,
    orphans: 0,
    seconds: 0,
    stopped: false,
  };
}

/** Whether nothing failed. */
export function isClean({ books, chapters, pages, images, stopped }: Report): boolean {
  return !stopped && [books, chapters, pages, images].every(({ failed }) => failed === 0);
}

/** Formats the report as lines of text. */
export function linesOfReport(report: Report): string[] {
  const rows = (["books", "chapters", "pages", "images"] as const).map((kind) => {
    const { created, updated, skipped, failed } = report[kind];
    return `${kind.padEnd(9)} ${created} created, ${updated} updated, ${skipped} skipped, ${failed} failed`;
  });
  const links = `links     ${report.linksRewritten} rewritten, ${report.linksUnresolved} to files that are not loaded`;
  const skippedImages = `skipped   ${report.imagesSkipped} images that are missing or of an unsupported type`;
  const orphans = `orphaned  ${report.orphans} pages of earlier runs whose files are gone`;
  return [
    ...rows,
    links,
    ...(report.imagesSkipped > 0 ? [skippedImages] : []),
    ...(report.orphans > 0 ? [orphans] : []),
    `${report.stopped ? "stopped after" : "time     "} ${report.seconds.toFixed(1)} s`,
  ];
}
