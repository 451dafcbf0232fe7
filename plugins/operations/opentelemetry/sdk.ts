/**
 * The SDK of OpenTelemetry. Its packages are optional peers of Lectern, since most instances need none of them: they are
 * looked for in the operator's folder and beside Lectern, and imported only where traces are on. Therefore what is used of
 * them is declared here, and their types are compared with it by a test.
 */
import { pathToFileURL } from "node:url";
import type { Tracer } from "@opentelemetry/api";
import { BootError } from "lectern/core";
import { peerDependencies } from "../../../package.json" with { type: "json" };

/** A processor, sampler, resource or span: passed from one package to another. */
type Opaque = object;

/** The outcome of an export; code 0 is a success. */
export interface ExportResult {
  readonly code: number;
  readonly error?: Error;
}

/** Sends spans. */
export interface SpanExporter {
  export(spans: never, done: (result: ExportResult) => void): void;
  forceFlush?(): Promise<void>;
  shutdown(): Promise<void>;
}

/** What is used of `@opentelemetry/sdk-trace`. */
export interface TraceSdk {
  readonly TracerProvider: new (options: {
    resource: Opaque;
    sampler: Opaque;
    spanProcessors: Opaque[];
  }) => { getTracer(name: string, version: string): Tracer; shutdown(): Promise<void> };
  readonly BatchSpanProcessor: new (options: { exporter: SpanExporter; exportTimeoutMillis: number }) => Opaque;
  readonly ParentBasedSampler: new (options: { root: Opaque }) => Opaque;
  readonly TraceIdRatioBasedSampler: new (ratio: number) => Opaque;
}

/** What is used of `@opentelemetry/exporter-trace-otlp-http`. */
export interface ExporterSdk {
  readonly OTLPTraceExporter: new (options: {
    url: string;
    headers: Record<string, string>;
    timeoutMillis: number;
  }) => SpanExporter;
}

/** What is used of `@opentelemetry/resources`. */
export interface ResourcesSdk {
  resourceFromAttributes(attributes: Record<string, string>): Opaque;
}

/** The packages. */
export type Sdk = TraceSdk & ExporterSdk & ResourcesSdk;

/** The packages with their versions. */
export const PACKAGES: readonly (readonly [name: string, version: string])[] = Object.entries(peerDependencies).filter(
  ([name]) => name.startsWith("@opentelemetry/"),
);

/** Finds the file of a package from a folder. Throws where there is none. */
type Find = (name: string, folder: string) => string;

/** Imports the packages. Throws BootError with the command that installs them where one is missing. */
export async function loadSdk(find: Find = Bun.resolveSync): Promise<Sdk> {
  const found = PACKAGES.map(([name]) => ({ name, file: fileOf(name, find) }));
  const missing = found.filter(({ file }) => file === undefined).map(({ name }) => `"${name}"`);
  if (missing.length > 0)
    throw new BootError(
      `OTEL_EXPORTER_OTLP_ENDPOINT is set, but packages of OpenTelemetry are not installed: ${missing.join(", ")}. ` +
        `Run "bun add --exact ${PACKAGES.map(([name, version]) => `${name}@${version}`).join(" ")}", or unset the variable`,
    );
  const modules = await Promise.all(found.map(({ file = "" }) => import(pathToFileURL(file).href)));
  // Their types are not at hand where the packages are not installed; a test compares them with the interfaces above.
  return Object.assign({}, ...modules) as Sdk;
}

function fileOf(name: string, find: Find): string | undefined {
  for (const folder of [process.cwd(), import.meta.dir]) {
    try {
      return find(name, folder);
    } catch (error) {
      if (folder === import.meta.dir && !(error instanceof Error)) throw error;
    }
  }
  return undefined;
}
