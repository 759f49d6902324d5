import { builtin, isNotFound, type KubernetesObject } from '@keelson/apimachinery';
import type { IntentAccess, IntentPlace } from './intent-place.ts';
import { applyRecord, RECORD_KEY, recordName } from './record-config-map.ts';
import { checkRecordSize } from './record-limit.ts';

/** The limit of kube-apiserver for the data of a ConfigMap (`MaxSecretSize`). */
const MAX_CONFIG_MAP_BYTES = 1024 * 1024;

/** Stores the record in a ConfigMap of its own. */
export class ConfigMapPlace<T extends KubernetesObject> implements IntentPlace<T> {
  readonly #namespace: string | undefined;

  /** The namespace of the ConfigMaps of a cluster-scoped kind. */
  constructor(namespace: string | undefined) {
    this.#namespace = namespace;
  }

  async read(access: IntentAccess<T>): Promise<string | undefined> {
    const { client, signal } = access;
    try {
      const name = recordName(access, this.#namespace);
      const { data } = await client.get(builtin.ConfigMap, name, { signal });
      return data?.[RECORD_KEY];
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }

  check(access: IntentAccess<T>, text: string): void {
    const size = Buffer.byteLength(text);
    checkRecordSize(access, { size, limit: MAX_CONFIG_MAP_BYTES, place: 'ConfigMap' });
  }

  async write(access: IntentAccess<T>, text: string): Promise<void> {
    await applyRecord(access, recordName(access, this.#namespace), { text });
  }
}
