import { nodeUtil } from '../../node-util.ts';
/** JSON of an object, or of a part of it; `undefined` for a part that it lacks. */
type Json = unknown;

/** Members of the metadata that the server changes with every write, or with the spec. */
const derived = new Set(['resourceVersion', 'managedFields', 'generation']);

/**
 * The parts of an object that the body of a write replaces as a whole. `lists`: lists. `objects`: objects and lists.
 * `items`: neither, so the body adds to objects and lists.
 */
export type Replaces = 'items' | 'lists' | 'objects';

/**
 * True if an update changes something, and the body of a write states every change. A write without an effect returns
 * the version of another client's write, so the version of a response alone does not prove who wrote it. If the body
 * states every change, the writer knows the new state in any case.
 */
export function statesChange(
  body: Json,
  replaces: Replaces,
  { before, after }: { readonly before: object; readonly after: object },
): boolean {
  const [former, next] = [withoutDerived(before), withoutDerived(after)];
  if (!isObject(body) || nodeUtil.isDeepStrictEqual(former, next)) return false;
  // The generation shows a change of the spec that the view does not show, because it has only metadata.
  const hidden = generationOf(before) !== generationOf(after) && onlyMetadataDiffers(former, next);
  return !hidden && new Statement(replaces).states(body, former, next);
}

class Statement {
  readonly #replaces: Replaces;

  constructor(replaces: Replaces) {
    this.#replaces = replaces;
  }

  states(sent: Json, before: Json, after: Json): boolean {
    if (nodeUtil.isDeepStrictEqual(before, after)) return true;
    if (sent === undefined) return false;
    if (sent === null) return after === undefined;
    if (this.#isWhole(sent) && nodeUtil.isDeepStrictEqual(sent, after)) return true;
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

  /**
   * True for a value that replaces the former one as a whole, so that it states the removal of other members or items
   * too.
   */
  #isWhole(sent: Json): boolean {
    if (Array.isArray(sent)) return this.#replaces !== 'items';
    return !isObject(sent) || this.#replaces === 'objects';
  }
}

/** True if a list that is merged by keys has kept its items, and the body states each new one. */
function statesItems(sent: readonly Json[], before: Json, after: Json): boolean {
  if (!Array.isArray(after)) return false;
  const former: readonly Json[] = Array.isArray(before) ? before : [];
  const isIn = (list: readonly Json[], item: Json): boolean =>
    list.some((other) => nodeUtil.isDeepStrictEqual(other, item));
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
  return nodeUtil.isDeepStrictEqual({ ...before, metadata: null }, { ...after, metadata: null });
}

function isObject(value: Json): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns an own member, never an inherited one: a body may have a member `__proto__`. */
function own(object: object, name: string): Json {
  return Object.hasOwn(object, name) ? (object as Record<string, Json>)[name] : undefined;
}
