import { byCodeUnit } from '../../storage/sorted-keys.ts';
import type { AccessAttributes, ResourceAttributes } from '../authorizer.ts';
import type { AccessCause, ObservedAccess, ObservedAccesses } from './observed-access.ts';

/** The distinct accesses of all users that the record keeps. */
const MAX_ACCESSES = 10_000;
/** The names that the record keeps of one access. */
const MAX_NAMES = 16;

/** One access of a user, as the record keeps it. */
class Entry {
  readonly attributes: AccessAttributes;
  readonly cause: AccessCause;
  /** `undefined` while the resource is not served. */
  isNamespaced: boolean | undefined;
  names: Set<string> | undefined = new Set();
  allowed = false;
  refused = false;

  constructor(attributes: AccessAttributes, cause: AccessCause) {
    this.attributes = attributes;
    this.cause = cause;
  }

  addName(name: string): void {
    this.names?.add(name);
    if (this.names !== undefined && this.names.size > MAX_NAMES) this.names = undefined;
  }

  get observed(): ObservedAccess {
    const { attributes, cause } = this;
    const isRefused = this.refused && !this.allowed;
    if (attributes.kind === 'path') {
      const { kind, verb, path } = attributes;
      return { kind, cause, verb, path, isRefused };
    }
    const { user: _user, name: _name, ...access } = attributes;
    const names = this.names && [...this.names].toSorted(byCodeUnit);
    return { ...access, cause, isNamespaced: this.isNamespaced ?? false, names, isRefused };
  }
}

interface UserEntries {
  readonly entries: Map<string, Entry>;
  isComplete: boolean;
}

/** Finds whether the objects of a resource are in namespaces; `undefined` if the resource is not served. */
export type FindScope = (group: string, plural: string) => boolean | undefined;

/**
 * Records the distinct accesses that each user needs: a set and not a log, so that its memory has a limit. A request
 * counts on arrival, regardless of faults, of its authorization and of its result.
 */
export class AccessRecord {
  readonly #findScope: FindScope;
  readonly #users = new Map<string, UserEntries>();
  #size = 0;

  constructor(findScope: FindScope) {
    this.#findScope = findScope;
  }

  /** Records an access. Returns a function that takes the decision of the authorizer. */
  add(attributes: AccessAttributes, cause: AccessCause = 'request'): (allowed: boolean) => void {
    const entry = this.#entry(attributes, cause);
    if (entry === undefined) return () => {};
    if (attributes.kind === 'resource') {
      entry.addName(attributes.name);
      entry.isNamespaced ??= this.#findScope(attributes.group, attributes.resource);
    }
    return (allowed) => {
      if (allowed) entry.allowed = true;
      else entry.refused = true;
    };
  }

  /** The accesses of a user; `undefined` if the user sent no request. */
  of(user: string): ObservedAccesses | undefined {
    const found = this.#users.get(user);
    if (found === undefined) return undefined;
    const accesses = [...found.entries.values()].map(({ observed }) => observed);
    return { accesses, isComplete: found.isComplete };
  }

  /** The names of the users that sent requests. */
  get users(): readonly string[] {
    return [...this.#users.keys()];
  }

  #entry(attributes: AccessAttributes, cause: AccessCause): Entry | undefined {
    const key = `${cause} ${keyOf(attributes)}`;
    const user = this.#users.get(attributes.user.name);
    const known = user?.entries.get(key);
    if (known !== undefined) return known;
    if (this.#size >= MAX_ACCESSES) {
      if (user !== undefined) user.isComplete = false;
      return undefined;
    }
    this.#size++;
    const entry = new Entry(attributes, cause);
    const entries = user ?? { entries: new Map(), isComplete: true };
    entries.entries.set(key, entry);
    this.#users.set(attributes.user.name, entries);
    return entry;
  }
}

function keyOf(attributes: AccessAttributes): string {
  if (attributes.kind === 'path') return `${attributes.verb} ${attributes.path}`;
  const { verb, group, resource, subresource, namespace }: ResourceAttributes = attributes;
  return `${verb} ${group}/${resource}/${subresource} ${namespace}`;
}
