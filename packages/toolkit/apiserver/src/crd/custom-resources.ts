import { jsonEquals } from '@keelson/structural-schema';
import type { BackgroundWork } from '../lifecycle/background-work.ts';
import { forEach } from '../lifecycle/for-each.ts';
import type { ResourceRegistry } from '../resources/resource-registry.ts';
import type { ServedResource } from '../resources/served-resource.ts';
import type { ApiObject } from '../storage/api-object.ts';
import type { ResourceStore } from '../storage/resource-store.ts';
import type { Change } from '../storage/revision-log.ts';
import type { Storage } from '../storage/storage.ts';
import type { StoredObject } from '../storage/stored-object.ts';
import { definitionFinalizer } from '../resources/deletion-strategy.ts';
import type { WebhookClient } from '../webhooks/webhook-client.ts';
import type { ObjectRemover } from '../verbs/object-remover.ts';
import type { ObjectWriter } from '../verbs/writes/object-writer.ts';
import type { StorageHistory, StorageVersionPeriod, StoredKind } from '../resources/stored-kind.ts';
import { customServed, selectableValues, storageVersionOf } from './custom-served.ts';
import { type Definition, definitionIn, hasCondition } from './definition.ts';
import { acceptedStatus } from './name-acceptance.ts';

/** The parts of the server that serving of custom resources uses. */
export interface CustomResourcesContext {
  readonly storage: Storage;
  readonly registry: ResourceRegistry;
  /** The resource of CustomResourceDefinitions. */
  readonly definitions: ServedResource;
  readonly writer: ObjectWriter;
  readonly remover: ObjectRemover;
  readonly work: BackgroundWork;
  readonly now: () => number;
  /** Calls conversion webhooks. */
  readonly client: WebhookClient;
}

interface Serving {
  readonly uid: string;
  readonly spec: Definition['spec'];
  readonly storageHistory: readonly StorageVersionPeriod[];
  /** True if the definition may have changed since an object was stored. */
  readonly changed: boolean;
  readonly store: ResourceStore;
  readonly resources: readonly ServedResource[];
}

const manager = 'kube-apiserver';

const newDefinition: StorageHistory = { storageVersions: [], schemaChanged: false };

/**
 * Follows the CustomResourceDefinitions: accepts their names and serves the established ones. When a definition is
 * deleted, it removes the objects, then the resource, then the definition.
 */
export class CustomResources {
  readonly #context: CustomResourcesContext;
  readonly #serving = new Map<string, Serving>();
  readonly #stop: () => void;

  constructor(context: CustomResourcesContext) {
    this.#context = context;
    this.#stop = context.storage.onChange((store, { object, type }) => {
      if (store === context.definitions.store) this.#changed(type, object.key);
      else if (type === 'DELETED') this.#instanceGone(store);
    });
  }

  close(): void {
    this.#stop();
  }

  /** The served definitions. */
  definitions(): Definition[] {
    return [...this.#serving.keys()].flatMap((name) => {
      const stored = this.#context.definitions.store.get(name);
      return stored === undefined ? [] : [this.#read(stored)];
    });
  }

  /** The kinds of the served definitions, in their storage versions. */
  storedKinds(): StoredKind[] {
    return Array.from(this.#serving.values(), ({ spec, store, storageHistory, changed }) => ({
      apiVersion: `${spec.group}/${storageVersionOf({ spec })}`,
      kind: spec.names.kind,
      namespaced: spec.scope === 'Namespaced',
      store,
      history: { storageVersions: storageHistory, schemaChanged: changed },
    }));
  }

  /**
   * Serves a definition of a snapshot at once, so that its objects can be restored. `historyOf` returns the history of a custom
   * resource. Throws the `StatusError` of an invalid definition.
   */
  restore(
    name: string,
    historyOf: (group: string, kind: string) => StorageHistory | undefined,
  ): void {
    const stored = this.#context.definitions.store.get(name);
    if (stored === undefined) return;
    const isDeleted = stored.metadata.deletionTimestamp !== undefined;
    const definition = this.#read(isDeleted ? stored : this.#acceptNames(stored));
    if (!hasCondition(definition, 'Established')) return;
    const { group, names } = definition.spec;
    this.#serve(name, definition, historyOf(group, names.kind));
  }

  /** Queues the definition. A deletion releases its names, so all definitions of the group are queued too. */
  #changed(type: Change['type'], name: string): void {
    this.#enqueue(name);
    if (type !== 'DELETED') return;
    const group = name.slice(name.indexOf('.'));
    for (const { key } of this.#context.definitions.store.values()) {
      if (key.endsWith(group)) this.#enqueue(key);
    }
  }

  #enqueue(name: string): void {
    this.#context.work.add(`definition ${name}`, () => this.#follow(name));
  }

  #instanceGone(store: ResourceStore): void {
    const name = `${store.plural}.${store.group}`;
    if (this.#serving.get(name)?.store !== store) return;
    const definition = this.#context.definitions.store.get(name);
    if (definition?.metadata.deletionTimestamp !== undefined) this.#enqueue(name);
  }

  #follow(name: string): void {
    const stored = this.#context.definitions.store.get(name);
    const serving = this.#serving.get(name);
    if (serving !== undefined && serving.uid !== stored?.metadata.uid) this.#unserve(name, serving);
    if (stored === undefined) return;
    if (stored.metadata.deletionTimestamp !== undefined) this.#remove(stored);
    else this.#accept(stored);
  }

  #accept(stored: StoredObject): void {
    const definition = this.#read(this.#acceptNames(stored));
    if (hasCondition(definition, 'Established')) this.#serve(stored.key, definition);
  }

  #acceptNames(stored: StoredObject): StoredObject {
    const { definitions, writer, now } = this.#context;
    const others = [...definitions.store.values()].map((other) => this.#read(other));
    return writer.update(definitions, {
      key: stored.key,
      scope: 'status',
      options: { dryRun: false, fieldManager: manager },
      next: (current) => {
        return { ...current, status: acceptedStatus(definitionIn(current), others, now()) };
      },
    });
  }

  #serve(name: string, definition: Definition, history: StorageHistory = newDefinition): void {
    const { storage, registry, definitions, client } = this.#context;
    const { spec } = definition;
    const before = this.#serving.get(name);
    if (before !== undefined && jsonEquals(before.spec, spec)) return;
    const { group, names } = spec;
    const values = selectableValues(definition);
    const store = before?.store ?? storage.createStore({ group, plural: names.plural }, values);
    if (before !== undefined) store.selectBy(values);
    const changed = before !== undefined || history.schemaChanged;
    const storageHistory =
      before === undefined
        ? history.storageVersions
        : storageHistoryAfter(before, spec, storage.revision);
    const resources = customServed(definition, {
      store,
      changed,
      storageHistory,
      client,
      release: definitions.release,
      isTerminating: () => definitions.store.get(name)?.metadata.deletionTimestamp !== undefined,
    });
    for (const resource of before?.resources ?? []) registry.remove(resource);
    for (const resource of resources) registry.add(resource);
    const uid = definition.metadata?.uid ?? '';
    this.#serving.set(name, { uid, spec, storageHistory, changed, store, resources });
  }

  #remove(stored: StoredObject): void {
    const serving = this.#serving.get(stored.key);
    const [resource] = serving?.resources ?? [];
    if (serving !== undefined && resource !== undefined) {
      this.#removeInstances(resource);
      if (serving.store.size > 0) return;
    }
    this.#release(stored);
  }

  #removeInstances(resource: ServedResource): void {
    const options = {
      dryRun: false,
      propagationPolicy: undefined,
      gracePeriodSeconds: undefined,
      preconditions: {},
    };
    forEach(resource.store.values(), ({ key, metadata }) => {
      if (metadata.deletionTimestamp !== undefined) return;
      this.#context.remover.remove(resource, key, options);
    });
  }

  /** Removes the finalizer, which deletes the definition unless it has other finalizers. */
  #release(stored: StoredObject): void {
    const { definitions, writer } = this.#context;
    if (stored.metadata.finalizers?.includes(definitionFinalizer) !== true) return;
    writer.update(definitions, {
      key: stored.key,
      scope: '',
      options: { dryRun: false, fieldManager: manager },
      next: withoutFinalizer,
    });
  }

  #unserve(name: string, serving: Serving): void {
    this.#serving.delete(name);
    for (const resource of serving.resources) this.#context.registry.remove(resource);
    this.#context.storage.dropStore(serving.store);
  }

  #read(stored: StoredObject): Definition {
    return definitionIn(this.#context.definitions.read(stored));
  }
}

/** Appends an era: all objects until the current revision were stored in the previous storage version. */
function storageHistoryAfter(
  before: Serving,
  spec: Definition['spec'],
  until: number,
): readonly StorageVersionPeriod[] {
  const version = storageVersionOf(before);
  if (version === storageVersionOf({ spec })) return before.storageHistory;
  return [...before.storageHistory, { version, until }];
}

function withoutFinalizer(current: ApiObject): ApiObject {
  const left = current.metadata.finalizers?.filter((name) => name !== definitionFinalizer) ?? [];
  if (left.length > 0) current.metadata.finalizers = left;
  else delete current.metadata.finalizers;
  return current;
}
