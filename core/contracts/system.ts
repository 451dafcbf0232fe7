/** Facts about the instance that stand in what leaves it. */
export interface SystemFacts {
  /** A UUID, the same for the life of the instance. */
  instanceId(): Promise<string>;
  /** What the operator calls it. */
  readonly name: string;
  /** Address of its logo; "" where it has none. */
  readonly logo: string;
  /** The version clients are told. */
  readonly version: string;
}

declare module "../registry.ts" {
  interface Contracts {
    system: SystemFacts;
  }
}
