import { isDeepStrictEqual } from 'node:util';

/** JSON of an object, or of a part of it; `undefined` for a part that it lacks. */
type Json = unknown;

/** Members of the metadata that the server changes with every write, or with the spec. */
const derived = new Set(['resourceVersion', 'managedFields', 'generation']);

/** Parts that a body replaces: `lists`, or `objects` and lists. A body of `items` adds to both. */
export type Replaces = 'items' | 'lists' | 'objects';

/**
 * True if an update changes something, and every change is a value that the body of a write states. A write without an
 * effect returns the version of another client's write, so the version of a response alone does not prove whose change
 * it is. If the body states the whole change, a client that expected its write knows the new state.
 */
export function statesChange(
  body: Json,
  replaces: Replaces,
  { before, after }: { readonly before: object; readonly after: object },
): boolean {
  const [former, next] = [withoutDerived(before), withoutDerived(after)];
  if (!isObject(body) || isDeepStrictEqual(former, next)) return false;
  // Without a visible change of the spec, the view has only metadata: the change itself is not visible.
  const hidden = generationOf(before) !== generationOf(after) && onlyMetadataDiffers(former, next);
  return !hidden && new Statement(replaces).states(body, former, next);
}

class Statement {
  readonly #replaces: Replaces;

  constructor(replaces: Replaces) {
    this.#replaces = replaces;
  }

  states(sent: Json, before: Json, after: Json): boolean {
    if (isDeepStrictEqual(before, after)) return true;
    if (sent === undefined) return false;
    if (sent === null) return after === undefined;
    if (this.#isWhole(sent) && isDeepStrictEqual(sent, after)) return true;
    if (Array.isArray(sent)) return statesItems(sent, before, after);
    // The server may leave out an object without members.
    const next = after ?? {};
    if (!isObject(sent) || !isObject(next)) return false;
    const former = isObject(before) ? before : {};
    const names = new Set([...Object.keys(former), ...Object.keys(next)]);
    return [...names].every((name) =>
      this.states(own(sent, name), own(former, name), own(next, name)),
    );
  }

  /** True for a value that states the absence of further members or items. */
  #isWhole(sent: Json): boolean {
    if (Array.isArray(sent)) return this.#replaces !== 'items';
    return !isObject(sent) || this.#replaces === 'objects';
  }
}

/** A list of a merge by keys: it keeps its items, and each further one is stated. */
function statesItems(sent: readonly Json[], before: Json, after: Json): boolean {
  if (!Array.isArray(after)) return false;
  const former: readonly Json[] = Array.isArray(before) ? before : [];
  const isIn = (list: readonly Json[], item: Json): boolean =>
    list.some((other) => isDeepStrictEqual(other, item));
  return (
    former.every((item) => isIn(after, item)) &&
    after.every((item) => isIn(former, item) || isIn(sent, item))
  );
}

function withoutDerived(object: object): Readonly<Record<string, Json>> {
  const metadata = own(object, 'metadata');
  const kept = isObject(metadata)
    ? Object.entries(metadata).filter(([name]) => !derived.has(name))
    : [];
  return { ...object, metadata: Object.fromEntries(kept) };
}

function generationOf(object: object): Json {
  const metadata = own(object, 'metadata');
  return isObject(metadata) ? own(metadata, 'generation') : undefined;
}

function onlyMetadataDiffers(before: object, after: object): boolean {
  return isDeepStrictEqual({ ...before, metadata: null }, { ...after, metadata: null });
}

function isObject(value: Json): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A member of an object itself: a body may have a member `__proto__`. */
function own(object: object, name: string): Json {
  return Object.hasOwn(object, name) ? (object as Record<string, Json>)[name] : undefined;
}
