/** Facts about the instance that stand in what leaves it. */
export interface SystemFacts {
  /** A UUID, the same for the life of the instance. */
  instanceId(): Promise<string>;
  /** What the operator calls it. */
  readonly name: string;
  /** Address of the logo its operator chose; "" where there is none. */
  readonly logo: string;
  /** The version clients are told. */
  readonly version: string;
}

declare module "../runtime/registry.ts" {
  interface Contracts {
    system: SystemFacts;
  }
}
