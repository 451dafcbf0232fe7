/**
 * Values that nobody can change, for what is handed to several plugins: sets, and objects with all that is in them. What is shared
 * and not frozen lets one plugin change what others decide by, such as the permissions of a cached viewer.
 */

/**
 * A set that cannot be changed: `Object.freeze` freezes the properties of a `Set` and not its values, and a subclass that refuses
 * `add` is evaded by `Set.prototype.add.call(it, …)`. So this is no `Set`: the values are in a private one that is never given out.
 * Its prototype is frozen too, since `has` of all sets is found there.
 */
export class FrozenSet<T> implements ReadonlySet<T> {
  readonly #values: Set<T>;

  constructor(values: Iterable<T> = []) {
    this.#values = new Set(values);
    Object.freeze(this);
  }

  get size(): number {
    return this.#values.size;
  }

  has(value: T): boolean {
    return this.#values.has(value);
  }

  forEach(run: (value: T, same: T, set: ReadonlySet<T>) => void, thisArg?: unknown): void {
    for (const value of this.#values) run.call(thisArg, value, value, this);
  }

  keys(): SetIterator<T> {
    return this.#values.keys();
  }

  values(): SetIterator<T> {
    return this.#values.values();
  }

  entries(): SetIterator<[T, T]> {
    return this.#values.entries();
  }

  [Symbol.iterator](): SetIterator<T> {
    return this.#values.values();
  }

  union<U>(other: ReadonlySetLike<U>): Set<T | U> {
    return this.#values.union(other);
  }

  intersection<U>(other: ReadonlySetLike<U>): Set<T & U> {
    return this.#values.intersection(other);
  }

  difference<U>(other: ReadonlySetLike<U>): Set<T> {
    return this.#values.difference(other);
  }

  symmetricDifference<U>(other: ReadonlySetLike<U>): Set<T | U> {
    return this.#values.symmetricDifference(other);
  }

  isSubsetOf(other: ReadonlySetLike<unknown>): boolean {
    return this.#values.isSubsetOf(other);
  }

  isSupersetOf(other: ReadonlySetLike<unknown>): boolean {
    return this.#values.isSupersetOf(other);
  }

  isDisjointFrom(other: ReadonlySetLike<unknown>): boolean {
    return this.#values.isDisjointFrom(other);
  }
}

Object.freeze(FrozenSet.prototype);
Object.freeze(FrozenSet);

/** What was frozen with all that is in it, so that shared parts are frozen once. */
const DEEP = new WeakSet<object>();

/**
 * Freezes plain objects and lists with all that is in them, and SQL of Kysely. Members with a getter are not read. Functions and
 * objects of classes are left as they are, since their state is theirs. Returns the value.
 * @example
 * const SIZES = deepFreeze({ small: { width: 100 }, large: { width: 1000 } });
 */
export function deepFreeze<Value>(value: Value): Value {
  if (typeof value !== "object" || value === null || DEEP.has(value) || !isFreezable(value)) return value;
  DEEP.add(value);
  Object.freeze(value);
  for (const key of Reflect.ownKeys(value)) deepFreeze(Reflect.getOwnPropertyDescriptor(value, key)?.value);
  return value;
}

function isFreezable(value: object): boolean {
  return Array.isArray(value) || "toOperationNode" in value || isPlain(value);
}

/** Whether an object is of no class. */
export function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/**
 * A copy of plain objects and lists with all that is in them. Other values, such as files and dates, and what `deepFreeze` froze are
 * those of the original.
 */
export function plainCopy<Value>(value: Value, copies: Map<object, unknown> = new Map()): Value {
  if (typeof value !== "object" || value === null || DEEP.has(value)) return value;
  if (!Array.isArray(value) && Object.getPrototypeOf(value) !== Object.prototype) return value;
  // What contains itself is copied likewise.
  const known = copies.get(value);
  if (known) return known as Value;
  const copy: unknown = Array.isArray(value) ? [] : {};
  copies.set(value, copy);
  // Marks by symbols belong to a value as its other members do.
  for (const key of Reflect.ownKeys(value))
    if (Object.prototype.propertyIsEnumerable.call(value, key))
      Reflect.set(Object(copy), key, plainCopy(Reflect.get(value, key), copies));
  return copy as Value;
}
