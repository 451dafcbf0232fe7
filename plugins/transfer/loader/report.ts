/** What became of the things of one kind. */
export interface Tally {
  created: number;
  updated: number;
  skipped: number;
  failed: number;
}

/** What a run did. */
export interface Report {
  readonly books: Tally;
  readonly chapters: Tally;
  readonly pages: Tally;
  readonly pictures: Tally;
  linksRewritten: number;
  linksLost: number;
  /** Pictures that are shown and not among the files, or that no server takes. */
  picturesLeft: number;
  /** Pages of earlier runs whose files are not there any more; they stay on the server. */
  orphans: number;
  seconds: number;
  /** Whether the run ended before it was through. */
  stopped: boolean;
}

/** A report of nothing yet. */
export function emptyReport(): Report {
  const tally = (): Tally => ({ created: 0, updated: 0, skipped: 0, failed: 0 });
  return {
    books: tally(),
    chapters: tally(),
    pages: tally(),
    pictures: tally(),
    linksRewritten: 0,
    linksLost: 0,
    picturesLeft: 0,
    orphans: 0,
    seconds: 0,
    stopped: false,
  };
}

/** Whether all went well. */
export function isClean({ books, chapters, pages, pictures, stopped }: Report): boolean {
  return !stopped && [books, chapters, pages, pictures].every(({ failed }) => failed === 0);
}

/** The report as lines for a person. */
export function linesOfReport(report: Report): string[] {
  const rows = (["books", "chapters", "pages", "pictures"] as const).map((kind) => {
    const { created, updated, skipped, failed } = report[kind];
    return `${kind.padEnd(9)} ${created} created, ${updated} updated, ${skipped} skipped, ${failed} failed`;
  });
  const links = `links     ${report.linksRewritten} rewritten, ${report.linksLost} to files that are not loaded`;
  const left = `left      ${report.picturesLeft} pictures that are not there, or of types no server takes`;
  const orphans = `stay      ${report.orphans} pages of earlier runs without a file`;
  return [
    ...rows,
    links,
    ...(report.picturesLeft > 0 ? [left] : []),
    ...(report.orphans > 0 ? [orphans] : []),
    `${report.stopped ? "stopped after" : "time     "} ${report.seconds.toFixed(1)} s`,
  ];
}
