import { ensureObject, objectAt } from '../json/json-members.ts';
import { quotaUsage } from '../admission/quota/quota-usage.ts';
import { asJson, type JsonObject } from '@keelson/structural-schema';
import type { ApiObject } from '../storage/api-object.ts';
import type { ResourceStore } from '../storage/resource-store.ts';
import type { Change } from '../storage/revision-log.ts';
import type { Storage } from '../storage/storage.ts';
import type { StoredObject } from '../storage/stored-object.ts';
import type { BackgroundWork } from './background-work.ts';

export interface QuotaStatusContext {
  readonly storage: Storage;
  readonly work: BackgroundWork;
  readonly quotas: ResourceStore;
  /** Returns milliseconds since the epoch. */
  readonly now: () => number;
  /** Updates the status of a quota. */
  update(quota: StoredObject, next: (current: ApiObject) => ApiObject): void;
}

/**
 * Writes the limits and the usage into the status of every ResourceQuota, as the quota controller of
 * kube-controller-manager does. Admission counts new objects; this controller counts again after deletions and changes
 * of the quota.
 */
export class QuotaStatus {
  readonly #context: QuotaStatusContext;
  readonly #stop: () => void;

  constructor(context: QuotaStatusContext) {
    this.#context = context;
    this.#stop = context.storage.onChange((store, change) => this.#changed(store, change));
  }

  close(): void {
    this.#stop();
  }

  #changed(store: ResourceStore, { type, object }: Change): void {
    if (store === this.#context.quotas) {
      if (type !== 'DELETED') this.#enqueue(object.key);
      return;
    }
    if (this.#context.quotas.size === 0 || type === 'ADDED') return;
    for (const quota of this.#context.quotas.values()) {
      if (quota.metadata.namespace === object.metadata.namespace) this.#enqueue(quota.key);
    }
  }

  #enqueue(key: string): void {
    this.#context.work.add(`count quota ${key}`, () => this.#count(key));
  }

  #count(key: string): void {
    const quota = this.#context.quotas.get(key);
    if (quota === undefined) return;
    this.#context.update(quota, (current) => {
      const used = quotaUsage(this.#context.storage, asJson(current), this.#context.now());
      setStatus(asJson(current), used);
      return current;
    });
  }
}

/** Resources that no evaluator counts keep their previous usage. */
function setStatus(quota: JsonObject, counted: Readonly<Record<string, string>>): void {
  const status = ensureObject(quota, 'status');
  const hard = { ...objectAt(objectAt(quota, 'spec'), 'hard') };
  const used = { ...objectAt(status, 'used'), ...counted };
  const names = Object.keys(used).filter((name) => Object.hasOwn(hard, name));
  status.hard = hard;
  status.used = Object.fromEntries(names.map((name) => [name, used[name] ?? '0']));
}
