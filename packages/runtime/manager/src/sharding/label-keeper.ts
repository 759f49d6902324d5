import {
  isConflict,
  isNotFound,
  normalLabelSelector,
  objectKey,
  resourceId,
  type ApiResource,
  type Clock,
  type ObjectName,
} from '@keelson/apimachinery';
import type { Client } from '@keelson/client';
import type {
  InformerCache,
  InformerEvent,
  PartObject,
  WatchHandle,
  WatchQuery,
} from '@keelson/informer';
import { WorkQueue } from '@keelson/workqueue';
import type { Logger } from '../logging/logger.ts';
import { queueClock } from '../run/queue-clock.ts';
import type { SourceLabels } from '../sources/shard-part.ts';
import type { ShardLabel } from './shard-label.ts';

/** The number of labels that are written at once. */
const WRITERS = 8;
/** Failures after which a refused label is given up: the object has been replaced, and the events of its successor follow. */
const MAX_CONFLICTS = 5;
const BACKOFF = { base: 100, max: 30_000 };

/** The kind of the objects of a source, and the label that they have. */
export interface LabelledSource {
  readonly resource: ApiResource;
  readonly label: ShardLabel;
  /** The slots of the requests of an object. */
  readonly slotsOf: (object: PartObject) => readonly number[];
}

export interface LabelKeeperOptions {
  /** Refuses writes while this process is not a member of the ring. */
  readonly client: Pick<Client, 'patch' | 'list'>;
  /** The cache of the manager; a scope of a controller would read the objects without a label. */
  readonly cache: Pick<InformerCache, 'acquire'>;
  readonly clock: Clock;
  readonly log: Logger;
  /** True if requests of the slot run in this replica. */
  readonly isOwned: (slot: number) => boolean;
}

/** A label that an object must have. */
interface DueLabel {
  readonly resource: ApiResource;
  readonly name: ObjectName;
  readonly uid: string;
  readonly key: string;
  /** `undefined`: the object must not have the label. */
  readonly value: string | undefined;
}

/** The objects of one query without their label. */
interface Unlabelled {
  readonly source: LabelledSource;
  readonly handle: WatchHandle;
}

/**
 * Writes the label of each object whose requests run in this replica. A watch of the metadata of the objects without the
 * label finds them. A replica that receives an object with a wrong label corrects it, because only this replica
 * receives it. Each write changes nothing but the label, and fails if the object was replaced.
 */
export class LabelKeeper {
  readonly #options: LabelKeeperOptions;
  readonly #queue: WorkQueue<string>;
  /** The latest label of each queued object. */
  readonly #due = new Map<string, DueLabel>();
  readonly #open = new Set<Unlabelled>();
  /** The kinds whose last label could not be written. */
  readonly #failing = new Set<string>();
  #writers: Promise<unknown> | undefined;

  constructor(options: LabelKeeperOptions) {
    this.#options = options;
    this.#queue = new WorkQueue<string>({ backoff: BACKOFF, ...queueClock(options.clock) });
  }

  /** The number of labels that are not written yet. */
  get pending(): number {
    return this.#due.size;
  }

  /** The labels of one source. */
  of(source: LabelledSource): SourceLabels {
    return {
      open: (query, handle) => this.#follow(source, query, handle),
      isHidden: (query, name) => this.#isHidden(source, query, name),
    };
  }

  /** Starts to write. */
  start(): void {
    this.#writers ??= Promise.all(Array.from({ length: WRITERS }, () => this.#write()));
  }

  /** Ends the writes. Resolves when those in flight have ended. */
  async stop(): Promise<void> {
    void this.#queue.shutDown();
    this.#due.clear();
    await this.#writers;
  }

  /** Labels the objects of slots that this replica has started to run. */
  sweep(): void {
    for (const { source, handle } of this.#open) {
      for (const object of handle.store.views()) this.#checkUnlabelled(source, object);
    }
  }

  /** Checks the label of an object that this replica has received. */
  check({ resource, label, slotsOf }: LabelledSource, object: PartObject): void {
    const value = label.valueOf(slotsOf(object));
    if (object.metadata.labels?.[label.key] === value) return;
    const { namespace, name, uid } = object;
    const id = [resourceId(resource), label.key, objectKey({ namespace, name })].join(' ');
    this.#due.set(id, { resource, name: { namespace, name }, uid, key: label.key, value });
    this.#queue.add(id);
  }

  #checkUnlabelled(source: LabelledSource, object: PartObject): void {
    if (source.slotsOf(object).some((slot) => this.#options.isOwned(slot)))
      this.check(source, object);
  }

  #follow(source: LabelledSource, query: WatchQuery, labelled: WatchHandle): Disposable {
    const handle = this.#options.cache.acquire(this.#missing(source, query), {
      owner: `sharding: labels of ${source.resource.kind}`,
      required: false,
    });
    const unlabelled: Unlabelled = { source, handle };
    this.#open.add(unlabelled);
    const without = { keepsViews: false };
    handle.addEventHandler(
      onArrival((object) => this.#checkUnlabelled(source, object)),
      without,
    );
    // The owner of a child may change.
    const handler = labelled.addEventHandler(
      onArrival((object) => this.check(source, object)),
      without,
    );
    return {
      [Symbol.dispose]: () => {
        this.#open.delete(unlabelled);
        handler.remove();
        handle.release();
      },
    };
  }

  /** The query of the metadata of the objects that lack the label and have requests. */
  #missing({ label, slotsOf }: LabelledSource, query: WatchQuery): WatchQuery {
    const { resource, namespace, labelSelector, fieldSelector } = query;
    const own = labelSelector === undefined ? '' : normalLabelSelector(labelSelector);
    return {
      resource,
      ...(namespace !== undefined && { namespace }),
      ...(fieldSelector !== undefined && { fieldSelector }),
      labelSelector: own === '' ? label.missing : `${own},${label.missing}`,
      projection: 'metadata',
      part: {
        name: `without ${label.key}`,
        version: 0,
        keeps: (object) => slotsOf(object).length > 0,
      },
    };
  }

  async #isHidden(
    source: LabelledSource,
    query: WatchQuery,
    { namespace, name }: ObjectName,
  ): Promise<boolean> {
    const { labelSelector, fieldSelector } = query;
    const fields = [`metadata.name=${name}`, ...(fieldSelector ? [fieldSelector] : [])].join();
    const options = { namespace, labelSelector, fieldSelector: fields, limit: 1 };
    const { items } = await this.#options.client.list(source.resource, options);
    const [found] = items;
    if (found === undefined) return false;
    const { metadata } = found;
    this.check(source, { namespace, name, uid: metadata.uid, metadata });
    return true;
  }

  async #write(): Promise<void> {
    for (;;) {
      const work = await this.#queue.get();
      if (work === undefined) return;
      const { item: id, failures } = work;
      const due = this.#due.get(id);
      try {
        if (due !== undefined) await this.#patch(due);
        this.#written(id, due);
      } catch (error) {
        if (due !== undefined) this.#failed(id, due, { error, failures });
      } finally {
        this.#queue.done(id);
      }
    }
  }

  async #patch({ resource, name, uid, key, value }: DueLabel): Promise<void> {
    const body = { metadata: { uid, labels: { [key]: value ?? null } } };
    await this.#options.client.patch(resource, name, { type: 'merge', body });
  }

  #written(id: string, due: DueLabel | undefined): void {
    this.#queue.forget(id);
    if (due !== undefined) this.#failing.delete(resourceId(due.resource));
    // A later event may have queued another value meanwhile.
    if (this.#due.get(id) === due) this.#due.delete(id);
  }

  #failed(
    id: string,
    due: DueLabel,
    { error, failures }: { error: unknown; failures: number },
  ): void {
    const isReplaced = isConflict(error) && failures >= MAX_CONFLICTS;
    if (isNotFound(error) || isReplaced || this.#queue.isShutDown) return this.#written(id, due);
    this.#queue.add(id, { rateLimited: true });
    const resource = resourceId(due.resource);
    if (isConflict(error) || this.#failing.has(resource)) return;
    // Once for each kind until a write succeeds, because all objects of a kind fail for the same reason.
    this.#failing.add(resource);
    this.#options.log.warn(
      { resource, object: objectKey(due.name), err: error },
      'the label of a shard was not written',
    );
  }
}

/** A handler of the events after which an object exists. */
function onArrival(check: (object: PartObject) => void): (event: InformerEvent) => void {
  return (event) => {
    if (event.type !== 'deleted') check(event.object);
  };
}
