import type { ManagedFieldsEntry } from '@keelson/apimachinery';

/** Two field managers that take fields from each other. */
export interface Contest {
  readonly managers: readonly [string, string];
  /** Some of the fields, such as `spec.replicas`. */
  readonly fields: readonly string[];
}

const MAX_FIELDS_NAMED = 3;
/**
 * The number of fields of one state that are compared. In a larger object some of its contested fields are usually
 * among the first ones.
 */
const MAX_FIELDS_READ = 10_000;
const MAX_DEPTH = 64;
/** The longest name of a field manager, in characters. kube-apiserver refuses longer ones. */
const MAX_NAME_LENGTH = 128;
const MAX_FIELD_LENGTH = 200;
/**
 * Milliseconds. A manager whose last write is older than the latest write by more than this takes no part in a fight.
 */
const RECENT_MS = 10_000;

type Owners = ReadonlySet<string>;

/**
 * Follows the owners of the fields of one object over several of its states. A field is contested if its owner changes
 * from one state to a later one. A field has one owner unless several appliers agree on its value.
 */
export class FieldOwnership {
  /** The last known owners by the path of a field. */
  readonly #owners = new Map<string, Owners>();
  #contest: Contest | undefined;
  #latest: readonly string[] = [];

  /** The first two managers of which one took fields from the other. */
  get contest(): Contest | undefined {
    return this.#contest;
  }

  /** The managers that wrote last: two at most, the latest first. */
  get latest(): readonly string[] {
    return this.#latest;
  }

  /** Compares the owners in the next state of the object with the known ones. */
  add(entries: readonly ManagedFieldsEntry[]): void {
    this.#latest = latestOf(entries);
    const moved = new Map<string, { managers: [string, string]; fields: string[] }>();
    for (const [path, owners] of ownersOf(entries)) {
      const before = this.#owners.get(path);
      this.#owners.set(path, owners);
      const lost = before && firstOutside(before, owners);
      const gained = before && firstOutside(owners, before);
      if (lost === undefined || gained === undefined) continue;
      const pair = `${lost}\n${gained}`;
      const fields = moved.get(pair)?.fields ?? [];
      moved.set(pair, { managers: [lost, gained], fields: [...fields, path] });
    }
    const [first] = moved.values();
    if (first !== undefined) this.#contest ??= contestOf(first);
  }
}

function contestOf({ managers: [lost, gained], fields }: Contest): Contest {
  const named = fields.slice(0, MAX_FIELDS_NAMED).map(printPath);
  return { managers: lost < gained ? [lost, gained] : [gained, lost], fields: named };
}

/** The first name of a set that the other set lacks. */
function firstOutside(owners: Owners, others: Owners): string | undefined {
  for (const owner of owners) if (!others.has(owner)) return owner;
  return undefined;
}

function ownersOf(entries: readonly ManagedFieldsEntry[]): Map<string, Set<string>> {
  const owners = new Map<string, Set<string>>();
  for (const { manager, fieldsV1 } of entries) {
    const name = nameOf(manager);
    for (const path of leavesOf(fieldsV1, '', 0)) {
      if (owners.size >= MAX_FIELDS_READ) return owners;
      const known = owners.get(path);
      if (known === undefined) owners.set(path, new Set([name]));
      else known.add(name);
    }
  }
  return owners;
}

/**
 * Yields the paths of the owned fields of the form `FieldsV1` of `meta/v1`. It has a member for each field (`f:name`)
 * and list item (`k:{…}`, `v:…`, `i:…`), and `.` for the parent itself.
 */
function* leavesOf(fields: unknown, path: string, depth: number): Generator<string> {
  if (typeof fields !== 'object' || fields === null || depth > MAX_DEPTH) return;
  let isLeaf = true;
  for (const [step, inner] of Object.entries(fields)) {
    isLeaf = false;
    if (step === '.') yield path;
    else yield* leavesOf(inner, path === '' ? step : `${path}\n${step}`, depth + 1);
  }
  if (isLeaf && path !== '') yield path;
}

/** Prints `f:spec`, `f:ports`, `k:{"port":80}` as `spec.ports[{"port":80}]`. */
function printPath(path: string): string {
  const printed = path.split('\n').map((step) => {
    const name = step.slice(2);
    return step.startsWith('f:') ? `.${name}` : `[${name}]`;
  });
  return printed.join('').replace(/^\./, '').slice(0, MAX_FIELD_LENGTH);
}

function latestOf(entries: readonly ManagedFieldsEntry[]): string[] {
  const times = new Map<string, number>();
  for (const { manager, time = '' } of entries) {
    const at = Date.parse(time);
    const name = nameOf(manager);
    if (at >= (times.get(name) ?? -Infinity)) times.set(name, at);
  }
  const sorted = [...times].toSorted(([, left], [, right]) => right - left);
  const [, newest = 0] = sorted[0] ?? [];
  const recent = sorted.filter(([, at]) => newest - at <= RECENT_MS);
  return recent.slice(0, 2).map(([name]) => name);
}

function nameOf(manager: string | undefined): string {
  return (manager ?? '').slice(0, MAX_NAME_LENGTH);
}
