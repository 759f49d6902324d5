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
 * Carries the ownership of the replicas between an object and its Scale, as the scale handler of kube-apiserver does.
 * The version is part of the name of an updater. So each write of a Scale takes the replicas out of the entry of an
 * updater, whose name is another in the Scale, and adds an entry for them.
 */
export class ScaleOwners {
  readonly #object: Managers;
  readonly #apiVersion: string;
  readonly #path: readonly PathElement[];

  /** `path` leads to the replicas in the object, `apiVersion` is that of the object. */
  constructor(entries: Entries, apiVersion: string, path: readonly PathElement[]) {
    this.#object = decodeManagers(entries);
    this.#apiVersion = apiVersion;
    this.#path = path;
  }

  /** The entries that a Scale of the object has. */
  ofScale(): ManagedFieldsEntry[] {
    const owners = [...this.#object].filter(([, set]) => set.fields.has(this.#path));
    const fields = FieldSet.of([...inScale]);
    return encodeManagers(
      new Map(owners.map(([id, set]) => [id, { ...set, apiVersion: scaleVersion, fields }])),
    );
  }

  /** The entries of the object after a write of its Scale. */
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
