/** What other servers of this API hold at most. */
const LONGEST = 255;
const REFERENCE = /^bkmrk-.*:\d+:(\d*-\d*)?$/;

/** The reference to a part of a page as it is kept; one of another form or too long says nothing (content-api 10.2). */
export function contentRef(sent: string | undefined): string {
  return sent !== undefined && sent.length <= LONGEST && REFERENCE.test(sent) ? sent : "";
}
