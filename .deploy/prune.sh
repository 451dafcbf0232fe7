#!/bin/sh
# Deletes files of installed packages that Lectern never reads: `sh prune.sh node_modules`. The image does so.
set -eu
cd "${1:?name the folder node_modules}"

# Sources, types, source maps, static libraries and tests. What is not installed is left out.
find . -type f \( -name '*.map' -o -name '*.d.ts' -o -name '*.d.mts' -o -name '*.d.cts' -o -name '*.a' \) -delete
rm -rf @mixmark-io/domino/test bintrees/test zod/src highlight.js/es highlight.js/scss highlight.js/styles highlight.js/types
# Types, and an optional peer of Elysia that Bun installs, since Lectern is developed with it.
rm -rf typescript @typescript @types undici-types bun-types

# One stylesheet of many, and one bundle.
[ ! -d @picocss/pico ] || find @picocss/pico -type f ! -path '*/css/pico.min.css' ! -name package.json ! -name 'LICENSE*' -delete
[ ! -d swagger-ui-dist ] || find swagger-ui-dist -type f -name '*.js' ! -name swagger-ui-bundle.js -delete

# The library of diagrams holds its own dependencies, which nothing else needs; that of formulas reads one form of its font.
[ ! -d mermaid ] || find mermaid -type f ! -path mermaid/dist/mermaid.min.js ! -path mermaid/package.json ! -path mermaid/LICENSE -delete
rm -rf dompurify @mermaid-js @chevrotain chevrotain cytoscape cytoscape-* elkjs d3 d3-* dagre-d3-es katex roughjs @upsetjs khroma es-toolkit lodash-es dayjs
rm -rf @mathjax/mathjax-newcm-font/mjs @mathjax/mathjax-newcm-font/cjs @mathjax/mathjax-newcm-font/chtml
rm -f mathjax/tex-*.js mathjax/mml-*.js @mathjax/mathjax-newcm-font/tex-*.js @mathjax/mathjax-newcm-font/mml-*.js

# Fonts in the weights that PDFs use.
for font in @expo-google-fonts/*/[1-9]00*; do
  case "$font" in
    */400Regular* | */700Bold*) ;;
    *) rm -rf "$font" ;;
  esac
done
