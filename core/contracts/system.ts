/** Facts about the instance that stand in what leaves it. */
export interface SystemFacts {
  /** A UUID, the same for the life of the instance. */
  instanceId(): Promise<string>;
  /** The version clients are told. */
  readonly version: string;
}

declare module "../registry.ts" {
  interface Contracts {
    system: SystemFacts;
  }
}
