import type { KubernetesObject } from '@keelson/apimachinery';
import { snapshotLine } from '@keelson/apiserver';

/** The objects of a snapshot, and the newest resourceVersion. */
export class SnapshotObjects {
  readonly #keepsManagedFields: boolean;
  /** The lines of objects; an object with owners is kept, because an owner may be missing in the end. */
  readonly #lines: (string | KubernetesObject)[] = [];
  readonly #uids = new Set<string>();
  readonly #namespaces = new Set<string>();
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
    return this.#namespaces;
  }

  /** Adds an object, unless it has been added. */
  add(object: KubernetesObject): void {
    const { managedFields, ...metadata } = object.metadata ?? {};
    if (this.#uids.has(metadata.uid ?? '')) return;
    this.#uids.add(metadata.uid ?? '');
    if (metadata.namespace !== undefined) this.#namespaces.add(metadata.namespace);
    this.saw(metadata.resourceVersion);
    const kept = this.#keepsManagedFields && managedFields !== undefined && { managedFields };
    const saved = { ...object, metadata: { ...metadata, ...kept } };
    const hasOwners = (metadata.ownerReferences ?? []).length > 0;
    this.#lines.push(hasOwners ? saved : snapshotLine(saved));
  }

  /** Counts a resourceVersion of a list. */
  saw(resourceVersion = ''): void {
    if (!/^\d+$/.test(resourceVersion)) return;
    const revision = BigInt(resourceVersion);
    if (revision > this.#revision) this.#revision = revision;
  }

  /** Returns the lines of all objects, and the number of owner references that were removed because the owner is missing. */
  finish(): { readonly lines: readonly string[]; readonly released: number } {
    let released = 0;
    const lines = this.#lines.map((line) => {
      if (typeof line === 'string') return line;
      const owners = line.metadata?.ownerReferences ?? [];
      const ownerReferences = owners.filter(({ uid }) => this.#uids.has(uid));
      released += owners.length - ownerReferences.length;
      const { ownerReferences: _owners, ...metadata } = line.metadata ?? {};
      const kept = ownerReferences.length > 0 && { ownerReferences };
      return snapshotLine({ ...line, metadata: { ...metadata, ...kept } });
    });
    return { lines, released };
  }
}
