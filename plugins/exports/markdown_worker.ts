import { convert } from "./turndown.ts";

declare const self: Worker;

self.onmessage = ({ data }: MessageEvent<string>) => {
  let converted: string | undefined;
  try {
    converted = convert(data);
  } catch {
    // The sender keeps the HTML.
  }
  self.postMessage(converted);
};
