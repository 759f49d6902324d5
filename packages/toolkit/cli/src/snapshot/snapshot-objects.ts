import type { KubernetesObject } from '@keelson/apimachinery';
import { snapshotLine } from '@keelson/apiserver';

/** An object as the file will have it. */
export interface SavedObject {
  /** Its group, kind, namespace and name. */
  readonly id: string;
  readonly uid: string | undefined;
  readonly namespace: string | undefined;
  readonly resourceVersion: string | undefined;
  /** The line; the object itself if it has owners, because an owner may be missing in the end. */
  readonly line: string | KubernetesObject;
}

/** The objects of a snapshot, and the newest resourceVersion. */
export class SnapshotObjects {
  readonly #keepsManagedFields: boolean;
  /** By id: a file with two objects of the same name cannot be restored. */
  readonly #objects = new Map<string, SavedObject>();
  #revision = 1n;

  constructor({ keepsManagedFields }: { readonly keepsManagedFields: boolean }) {
    this.#keepsManagedFields = keepsManagedFields;
  }

  /** The newest resourceVersion of all objects and lists. */
  get revision(): string {
    return String(this.#revision);
  }

  /** The namespaces of the objects. */
  get namespaces(): ReadonlySet<string> {
    return new Set([...this.#objects.values()].flatMap(({ namespace }) => namespace ?? []));
  }

  /** Returns an object as the file will have it. It is not added. */
  saved(object: KubernetesObject): SavedObject {
    const { managedFields, ...metadata } = object.metadata ?? {};
    const { uid, namespace, resourceVersion } = metadata;
    const kept = this.#keepsManagedFields && managedFields !== undefined && { managedFields };
    const whole = { ...object, metadata: { ...metadata, ...kept } };
    const hasOwners = (metadata.ownerReferences ?? []).length > 0;
    const line = hasOwners ? whole : snapshotLine(whole);
    return { id: idOf(object), uid, namespace, resourceVersion, line };
  }

  /** Adds an object. It replaces one of the same name, which was read earlier. Returns false if there was one. */
  add(object: SavedObject): boolean {
    const isNew = !this.#objects.has(object.id);
    this.#objects.set(object.id, object);
    this.saw(object.resourceVersion);
    return isNew;
  }

  /** Removes a namespace, and its objects. Returns their number. */
  removeNamespace(name: string): number {
    const removed = [...this.#objects.values()].filter(({ namespace }) => namespace === name);
    for (const { id } of removed) this.#objects.delete(id);
    this.#objects.delete(idOf({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } }));
    return removed.length;
  }

  /** Counts a resourceVersion of a list. */
  saw(resourceVersion = ''): void {
    if (!/^\d+$/.test(resourceVersion)) return;
    const revision = BigInt(resourceVersion);
    if (revision > this.#revision) this.#revision = revision;
  }

  /** Returns the lines of all objects, and the number of owner references that were removed because the owner is missing. */
  finish(): { readonly lines: readonly string[]; readonly released: number } {
    const objects = [...this.#objects.values()];
    const uids = new Set(objects.flatMap(({ uid }) => uid ?? []));
    let released = 0;
    const lines = objects.map(({ line }) => {
      if (typeof line === 'string') return line;
      const owners = line.metadata?.ownerReferences ?? [];
      const ownerReferences = owners.filter(({ uid }) => uids.has(uid));
      released += owners.length - ownerReferences.length;
      const { ownerReferences: _owners, ...metadata } = line.metadata ?? {};
      const kept = ownerReferences.length > 0 && { ownerReferences };
      return snapshotLine({ ...line, metadata: { ...metadata, ...kept } });
    });
    return { lines, released };
  }
}

/** Returns the id without the version, because an object exists once in all versions of its group. */
function idOf({ apiVersion = '', kind = '', metadata = {} }: KubernetesObject): string {
  const group = apiVersion.slice(0, Math.max(0, apiVersion.indexOf('/')));
  return [group, kind, metadata.namespace ?? '', metadata.name ?? ''].join(' ');
}
