import { type ServerController, serverControllers } from './server-controllers.ts';
import type { ResourceRegistry } from '../resources/resource-registry.ts';
import type { ServedResource } from '../resources/served-resource.ts';
import type { ApiObject } from '../storage/api-object.ts';
import type { Storage } from '../storage/storage.ts';
import type { StoredObject } from '../storage/stored-object.ts';
import type { ObjectRemover } from '../verbs/object-remover.ts';
import type { ObjectWriter } from '../verbs/writes/object-writer.ts';
import type { UpdateScope } from '../resources/revert-outside-scope.ts';
import type { BackgroundWork } from './background-work.ts';
import { applyStatus } from './apply-status.ts';
import { EventRecorder } from './event-recorder.ts';
import { GarbageCollector, type PropagationPolicy } from './garbage-collector.ts';
import { NamespaceDeletion } from './namespace-deletion.ts';
import { PolicyStatus, type PolicyStatusContext } from './policy-status.ts';
import { QuotaStatus } from './quota-status.ts';
import { StorageProtection } from './storage-protection.ts';

/** The parts of the server that its controllers read and write. */
export interface ControllersContext {
  readonly storage: Storage;
  readonly registry: ResourceRegistry;
  readonly work: BackgroundWork;
  readonly writer: ObjectWriter;
  readonly remover: ObjectRemover;
  readonly namespaces: ServedResource;
  readonly quotas: ServedResource;
  /** The resource of ValidatingAdmissionPolicies. */
  readonly policies: ServedResource;
  /** Returns the schema of a kind without references. */
  readonly schemaOf: PolicyStatusContext['schemaOf'];
  /** The controllers that run. */
  readonly enabled: ReadonlySet<ServerController>;
  /** Returns milliseconds since the epoch. */
  readonly now: () => number;
}

const manager = 'kube-controller-manager';
const policyStatusManager = 'validatingadmissionpolicy-status';

/** Runs the controllers of kube-controller-manager that deletion depends on. */
export class Controllers {
  readonly #context: ControllersContext;
  readonly #running: readonly { close(): void }[];

  constructor(context: ControllersContext) {
    const { storage, registry, work } = context;
    this.#context = context;
    const update = this.#update.bind(this, '');
    const factories: Readonly<Partial<Record<ServerController, () => { close(): void }>>> = {
      'garbage-collector': () => this.#garbageCollector(),
      namespace: () => this.#namespaceDeletion(),
      'resource-quota': () => this.#quotaStatus(),
      'policy-status': () => this.#policyStatus(),
      'storage-protection': () => new StorageProtection({ storage, registry, work, update }),
    };
    this.#running = serverControllers
      .filter((name) => context.enabled.has(name))
      .flatMap((name) => factories[name]?.() ?? []);
  }

  #garbageCollector(): GarbageCollector {
    const { storage, registry, work, writer, now } = this.#context;
    const events = new EventRecorder('garbage-collector-controller', {
      registry,
      writer,
      now,
      fieldManager: manager,
    });
    return new GarbageCollector({
      storage,
      registry,
      work,
      remove: this.#remove.bind(this),
      update: this.#update.bind(this, ''),
      warn: events.warn.bind(events),
    });
  }

  #namespaceDeletion(): NamespaceDeletion {
    const { storage, registry, work, namespaces, now } = this.#context;
    return new NamespaceDeletion({
      storage,
      registry,
      work,
      now,
      namespaces: namespaces.store,
      remove: this.#remove.bind(this),
      finalize: this.#update.bind(this, 'finalize', namespaces),
      updateStatus: this.#update.bind(this, 'status', namespaces),
    });
  }

  #quotaStatus(): QuotaStatus {
    const { storage, work, quotas, now } = this.#context;
    const update = this.#update.bind(this, 'status', quotas);
    return new QuotaStatus({ storage, work, now, quotas: quotas.store, update });
  }

  #policyStatus(): PolicyStatus {
    const { storage, registry, work, writer, policies, schemaOf, now } = this.#context;
    return new PolicyStatus({
      storage,
      registry,
      work,
      policies: policies.store,
      schemaOf,
      applyStatus: (object, status) =>
        applyStatus(writer, policies, { object, status, manager: policyStatusManager, now: now() }),
    });
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
