import type { DeepReadonly } from '@keelson/apimachinery';

/** The differences of two specs as JSON pointers (RFC 6901), such as `/template/image` or `/ports/0`. */
export interface SpecDifference<Spec = unknown> {
  /** Values that only the later spec has. A new object or list is one path. */
  readonly added: readonly string[];
  /** Values that both have and that differ. Objects and lists are compared by their members. */
  readonly changed: readonly string[];
  /** Values that only the earlier spec has. */
  readonly removed: readonly string[];
  /** True if the specs are equal. Without an earlier spec it is false. */
  readonly isEmpty: boolean;
  /** True if this member of the spec, or a value within it, differs. */
  readonly touches: (member: keyof Spec & string) => boolean;
}

type Json = unknown;
type Members = Readonly<Record<string, Json>>;

interface Pair {
  readonly path: string;
  readonly before: Json;
  readonly after: Json;
}

/**
 * Compares two specs. Lists are compared by index, and a member with the value `undefined` counts as missing. Without
 * an earlier spec every member of the later one is added.
 */
export function specDifference<Spec>(
  before: DeepReadonly<Spec> | undefined,
  after: DeepReadonly<Spec> | undefined,
): SpecDifference<Spec> {
  const added: string[] = [];
  const changed: string[] = [];
  const removed: string[] = [];
  // A loop: the recursion of a deeply nested spec would exceed the stack.
  const open: Pair[] = [{ path: '', before: before ?? {}, after: after ?? {} }];
  for (let pair = open.pop(); pair !== undefined; pair = open.pop()) {
    if (pair.before === undefined) added.push(pair.path);
    else if (pair.after === undefined) removed.push(pair.path);
    else if (haveMembers(pair.before, pair.after)) {
      // Not `open.push(...members)`: a list may be longer than the limit of arguments of a call.
      for (const member of membersOf(pair)) open.push(member);
    } else if (pair.before !== pair.after) changed.push(pair.path);
  }
  const paths = [added, changed, removed];
  const members = new Set(paths.flat().map(memberOf));
  return {
    added,
    changed,
    removed,
    isEmpty: before !== undefined && members.size === 0,
    touches: (member) => members.has(member),
  };
}

/** True if both are objects, or both are lists. */
function haveMembers(before: Json, after: Json): boolean {
  return isObject(before) && isObject(after) && Array.isArray(before) === Array.isArray(after);
}

/** The members of both, in reverse order, because the loop takes the last one first. */
function membersOf({ path, before, after }: Pair): Pair[] {
  const [former, next] = [before as Members, after as Members];
  const names = new Set([...Object.keys(next), ...Object.keys(former)]);
  const pairs = [...names].map((name) => ({
    path: `${path}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`,
    before: own(former, name),
    after: own(next, name),
  }));
  return pairs.filter((pair) => pair.before !== pair.after).toReversed();
}

/** Returns an own member, never an inherited one: JSON may contain a member `__proto__`. */
function own(members: Members, name: string): Json {
  return Object.hasOwn(members, name) ? members[name] : undefined;
}

/** The first member of a path. */
function memberOf(path: string): string {
  return (path.split('/')[1] ?? '').replaceAll('~1', '/').replaceAll('~0', '~');
}

function isObject(value: Json): value is object {
  return typeof value === 'object' && value !== null;
}
