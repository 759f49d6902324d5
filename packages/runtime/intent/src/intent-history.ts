import { builtin, isNotFound, type KubernetesObject } from '@keelson/apimachinery';
import type { IntentAccess } from './intent-place.ts';
import { applyRecord, recordName } from './record-config-map.ts';

const { ConfigMap } = builtin;

/** The label with the uid of the object that a record of the history belongs to. */
const OWNER_LABEL = 'keelson.dev/last-applied-of';

/** The number of records that an object keeps, and the namespace of their ConfigMaps. */
export interface IntentHistoryOptions {
  /** The number of records, the last one included. */
  readonly keep: number;
  /** The namespace of the ConfigMaps of a cluster-scoped kind. Invalid for a namespaced kind. */
  readonly namespace?: string;
}

/** Keeps the records of the latest generations of an object as one ConfigMap each. */
export class IntentHistory<T extends KubernetesObject> {
  readonly #keep: number;
  readonly #namespace: string | undefined;

  constructor({ keep, namespace }: IntentHistoryOptions) {
    this.#keep = keep;
    this.#namespace = namespace;
  }

  /** Stores the record of a generation. A repetition replaces it. */
  async add(access: IntentAccess<T>, generation: number, text: string): Promise<void> {
    const { namespace, name } = recordName(access, this.#namespace);
    const labels = { [OWNER_LABEL]: access.object.metadata.uid };
    await applyRecord(access, { namespace, name: `${name}-${generation}` }, { text, labels });
  }

  /** Deletes the records of all but the latest generations. */
  async prune(access: IntentAccess<T>): Promise<void> {
    const { client, signal, object } = access;
    const { namespace, name } = recordName(access, this.#namespace);
    const labelSelector = `${OWNER_LABEL}=${object.metadata.uid}`;
    const { items } = await client.list(ConfigMap, { namespace, labelSelector, signal });
    const generations = items.map(({ metadata }) => Number(metadata.name.slice(name.length + 1)));
    for (const old of generations.toSorted((a, b) => b - a).slice(this.#keep)) {
      try {
        await client.delete(ConfigMap, { namespace, name: `${name}-${old}` }, { signal });
      } catch (error) {
        if (!isNotFound(error)) throw error;
      }
    }
  }
}
