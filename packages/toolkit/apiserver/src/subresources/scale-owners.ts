import type { ManagedFieldsEntry } from '@keelson/apimachinery';
import { FieldSet, type PathElement } from '../apply/fields/field-set.ts';
import {
  decodeManagers,
  encodeManagers,
  type ManagedSet,
  type Managers,
} from '../apply/fields/managed-fields.ts';

const scaleVersion = 'autoscaling/v1';
const inScale: readonly PathElement[] = ['f:spec', 'f:replicas'];

type Entries = readonly ManagedFieldsEntry[] | undefined;

/**
 * Converts the ownership of the replicas between an object and its Scale, as kube-apiserver does. An updater is
 * identified by its name and API version, and the Scale has another API version. So every write of a Scale removes the
 * replicas from the updater's entry and adds a second entry.
 */
export class ScaleOwners {
  readonly #object: Managers;
  readonly #apiVersion: string;
  readonly #path: readonly PathElement[];

  /** `path` is the path of the replicas in the object, `apiVersion` the version of the object. */
  constructor(entries: Entries, apiVersion: string, path: readonly PathElement[]) {
    this.#object = decodeManagers(entries);
    this.#apiVersion = apiVersion;
    this.#path = path;
  }

  /** Returns the `managedFields` of the Scale. */
  ofScale(): ManagedFieldsEntry[] {
    const owners = [...this.#object].filter(([, set]) => set.fields.has(this.#path));
    const fields = FieldSet.of([...inScale]);
    return encodeManagers(
      new Map(owners.map(([id, set]) => [id, { ...set, apiVersion: scaleVersion, fields }])),
    );
  }

  /** Returns the `managedFields` of the object after a write of its Scale. */
  ofObject(scaleEntries: Entries): ManagedFieldsEntry[] {
    const scale = decodeManagers(scaleEntries);
    const replicas = FieldSet.of([...this.#path]);
    const owners = new Map<string, ManagedSet>();
    for (const [id, set] of this.#object) {
      const keeps = scale.has(id) || !set.fields.has(this.#path);
      const fields = keeps ? set.fields : set.fields.difference(replicas);
      owners.set(id, { ...set, fields });
    }
    for (const [id, set] of scale) {
      if (this.#object.get(id)?.fields.has(this.#path) || !set.fields.has(inScale)) continue;
      const { time } = this.#object.get(id) ?? {};
      owners.set(id, { ...set, apiVersion: this.#apiVersion, fields: replicas, time });
    }
    return encodeManagers(owners);
  }
}
