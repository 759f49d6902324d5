import type { ResourceRegistry } from '../resources/resource-registry.ts';
import type { ServedResource } from '../resources/served-resource.ts';
import type { ApiObject } from '../storage/api-object.ts';
import type { Storage } from '../storage/storage.ts';
import type { StoredObject } from '../storage/stored-object.ts';
import type { ObjectRemover } from '../verbs/object-remover.ts';
import type { ObjectWriter } from '../verbs/object-writer.ts';
import type { UpdateScope } from '../verbs/update-scope.ts';
import type { BackgroundWork } from './background-work.ts';
import { GarbageCollector, type PropagationPolicy } from './garbage-collector.ts';
import { NamespaceDeletion } from './namespace-deletion.ts';
import { QuotaStatus } from './quota-status.ts';
import { StorageProtection } from './storage-protection.ts';

/** What the controllers inside the server act on and with. */
export interface ControllersContext {
  readonly storage: Storage;
  readonly registry: ResourceRegistry;
  readonly work: BackgroundWork;
  readonly writer: ObjectWriter;
  readonly remover: ObjectRemover;
  readonly namespaces: ServedResource;
  readonly quotas: ServedResource;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

const manager = 'kube-controller-manager';

/** The part of kube-controller-manager without which deleting would not work. */
export class Controllers {
  readonly #context: ControllersContext;
  readonly #running: readonly { close(): void }[];

  constructor(context: ControllersContext) {
    const { storage, registry, work, namespaces } = context;
    this.#context = context;
    const remove = this.#remove.bind(this);
    const update = this.#update.bind(this, '');
    this.#running = [
      new GarbageCollector({ storage, registry, work, remove, update }),
      new NamespaceDeletion({
        storage,
        registry,
        work,
        remove,
        namespaces: namespaces.store,
        finalize: this.#update.bind(this, 'finalize', namespaces),
      }),
      new StorageProtection({ storage, registry, work, update }),
      new QuotaStatus({
        storage,
        work,
        now: context.now,
        quotas: context.quotas.store,
        update: this.#update.bind(this, 'status', context.quotas),
      }),
    ];
  }

  close(): void {
    for (const controller of this.#running) controller.close();
  }

  #remove(resource: ServedResource, object: StoredObject, policy: PropagationPolicy): void {
    const { uid = '' } = object.metadata;
    this.#context.remover.remove(resource, object.key, {
      dryRun: false,
      propagationPolicy: policy,
      gracePeriodSeconds: undefined,
      preconditions: { uid },
    });
  }

  #update(
    scope: UpdateScope,
    resource: ServedResource,
    object: StoredObject,
    next: (current: ApiObject) => ApiObject,
  ): void {
    const options = { dryRun: false, fieldManager: manager };
    this.#context.writer.update(resource, { key: object.key, scope, options, next });
  }
}
