import { resourceId } from '@keelson/apimachinery';
import { EventEmitter } from 'eventemitter3';
import { byCodeUnit } from '../storage/sorted-keys.ts';
import { compareVersions } from './version-order.ts';
import type { ServedResource } from './served-resource.ts';

/** A group and its served versions, the preferred one first. */
export interface ServedGroup {
  readonly group: string;
  readonly versions: readonly string[];
}

/** Called when a resource is served from now on, or no longer served. */
export type ResourceListener = (resource: ServedResource) => void;

/** Holds the resources that the server serves. */
export class ResourceRegistry {
  /** The resources by id. One that is not created yet has its function. */
  readonly #resources = new Map<string, ServedResource | (() => ServedResource)>();
  /** The resources by `apiVersion` and `kind`; `undefined` after a change, until the next search. */
  #kinds: ReadonlyMap<string, ServedResource> | undefined;
  readonly #events = new EventEmitter<{ add: ResourceListener; remove: ResourceListener }>();

  /**
   * Adds a resource that is created when it is first used, without a call of the listeners. A server has dozens, and most
   * clients use a few of them.
   */
  addBuiltin(id: string, create: () => ServedResource): void {
    this.#resources.set(id, create);
  }

  add(resource: ServedResource): void {
    this.#resources.set(resource.id, resource);
    this.#kinds = undefined;
    this.#events.emit('add', resource);
  }

  remove(resource: ServedResource): void {
    if (this.#resources.get(resource.id) !== resource) return;
    this.#resources.delete(resource.id);
    this.#kinds = undefined;
    this.#events.emit('remove', resource);
  }

  onAdd(listener: ResourceListener): void {
    this.#events.on('add', listener);
  }

  onRemove(listener: ResourceListener): void {
    this.#events.on('remove', listener);
  }

  find(name: { group: string; version: string; plural: string }): ServedResource | undefined {
    return this.#withId(resourceId(name));
  }

  /** Returns a resource in the version in which its objects are stored, for the controllers of the server. */
  anyVersion(group: string, plural: string): ServedResource | undefined {
    for (const id of this.#resources.keys()) {
      if (isOf(id, group, plural)) return this.#withId(id)?.storage;
    }
    return undefined;
  }

  /** Returns the other served versions of a resource that have this subresource; they share its objects. */
  otherVersions(resource: ServedResource, subresource: string): ServedResource[] {
    return this.all().filter(
      (other) =>
        other !== resource &&
        other.store === resource.store &&
        (subresource === '' || other.subresource(subresource) !== undefined),
    );
  }

  /** Returns the resource whose objects have this `apiVersion` and `kind`. */
  byKind(apiVersion: string, kind: string): ServedResource | undefined {
    this.#kinds ??= new Map(
      this.all().map((resource) => [`${resource.apiVersion} ${resource.facts.kind}`, resource]),
    );
    return this.#kinds.get(`${apiVersion} ${kind}`);
  }

  all(): ServedResource[] {
    return [...this.#resources.keys()].flatMap((id) => this.#withId(id) ?? []);
  }

  #withId(id: string): ServedResource | undefined {
    const found = this.#resources.get(id);
    if (typeof found !== 'function') return found;
    const created = found();
    this.#resources.set(id, created);
    return created;
  }

  servesGroup(group: string): boolean {
    return this.all().some(({ facts }) => facts.group === group);
  }

  /** True for the groups of built-in kinds. */
  servesBuiltin(group: string): boolean {
    return this.all().some(({ facts }) => facts.group === group && !facts.custom);
  }

  /** Returns the built-in groups in the order of kube-apiserver's discovery, then custom groups by name. */
  groups(): ServedGroup[] {
    const versions = new Map<string, Set<string>>();
    for (const { facts } of this.all()) {
      const known = versions.get(facts.group) ?? new Set();
      versions.set(facts.group, known.add(facts.version));
    }
    const isOwn = ([group]: readonly [string, unknown]): boolean => this.servesBuiltin(group);
    const custom = [...versions].filter((entry) => !isOwn(entry));
    const sorted = custom.toSorted(([a], [b]) => byCodeUnit(a, b));
    return [...[...versions].filter(isOwn), ...sorted].map(([group, known]) => ({
      group,
      versions: [...known].toSorted(compareVersions),
    }));
  }

  inVersion(group: string, version: string): ServedResource[] {
    return this.all().filter(({ facts }) => facts.group === group && facts.version === version);
  }
}

/** True for the id of a resource in any version: `GROUP/VERSION/PLURAL`, and `VERSION/PLURAL` in the core group. */
function isOf(id: string, group: string, plural: string): boolean {
  const parts = id.split('/');
  return parts.at(-1) === plural && (parts.length === 2 ? '' : parts[0]) === group;
}
