/** The style sheet of exported HTML documents. It loads nothing, as documents open offline; fonts are the reader's own. */
export const STYLE = `
:root { color-scheme: light; }
body { margin: 0 auto; padding: 2rem 1.5rem; max-width: 52rem; color: #222; background: #fff; line-height: 1.6;
  overflow-wrap: anywhere;
  font-family: system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", Ubuntu, Cantarell, "Helvetica Neue", sans-serif; }
h1, h2, h3, h4, h5, h6 { line-height: 1.25; margin: 1.6em 0 .6em; }
img, svg, video { max-width: 100%; height: auto; }
table { border-collapse: collapse; max-width: 100%; margin: 1em 0; }
td, th { border: 1px solid #bbb; padding: .3em .6em; text-align: start; vertical-align: top; }
pre { background: #f4f4f4; border: 1px solid #ddd; padding: .7em .9em; white-space: pre-wrap; overflow-wrap: anywhere; }
code { font-family: ui-monospace, "Cascadia Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace; font-size: .9em; }
blockquote { border-inline-start: 4px solid #ccc; margin-inline: 0; padding-inline-start: 1em; color: #555; }
hr { border: 0; border-top: 1px solid #ccc; margin: 2em 0; }
a { color: #0645ad; overflow-wrap: anywhere; }
ul.contents { list-style: none; padding-inline-start: 1em; }
.callout { border-inline-start: 4px solid #0288d1; background: #eef6fb; padding: .6em 1em; }
.callout.success { border-color: #2e7d32; background: #eef7ef; }
.callout.warning { border-color: #c77700; background: #fdf5e8; }
.callout.danger { border-color: #b71c1c; background: #fbeeee; }
.chapter-hint { color: #777; margin-top: 2rem; }
.chapter-hint + h1 { margin-top: 0; }
.meta { color: #666; font-size: .85em; }
.align-left { float: left; margin: 0 1em 1em 0; } .align-right { float: right; margin: 0 0 1em 1em; }
.align-center { display: block; margin-inline: auto; }
.page-break { page-break-after: always; break-after: page; }
`;
