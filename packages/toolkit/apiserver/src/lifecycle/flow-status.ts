import { asJson } from '@keelson/structural-schema';
import { danglingCondition, flowStatusManager } from '../flow-control/dangling-condition.ts';
import { objectAt, objectsAt, textAt } from '../json/json-members.ts';
import type { ServedResource } from '../resources/served-resource.ts';
import { timestamp } from '../schema/clock.ts';
import type { ResourceStore } from '../storage/resource-store.ts';
import type { Change } from '../storage/revision-log.ts';
import type { Storage } from '../storage/storage.ts';
import { keyOfMetadata, type StoredObject } from '../storage/stored-object.ts';
import type { ObjectWriter } from '../verbs/writes/object-writer.ts';
import { applyStatus } from './apply-status.ts';
import type { BackgroundWork } from './background-work.ts';

export interface FlowStatusContext {
  readonly storage: Storage;
  readonly work: BackgroundWork;
  readonly writer: ObjectWriter;
  readonly schemas: ServedResource;
  readonly levels: ServedResource;
  /** Returns milliseconds since the epoch. */
  readonly now: () => number;
}

/**
 * Writes the condition `Dangling` of flow schemas. In kube-apiserver the controller of API Priority and Fairness does this.
 */
export class FlowStatus {
  readonly #context: FlowStatusContext;
  readonly #stop: () => void;

  constructor(context: FlowStatusContext) {
    this.#context = context;
    this.#stop = context.storage.onChange((store, change) => this.#changed(store, change));
  }

  close(): void {
    this.#stop();
  }

  #changed(store: ResourceStore, { type, object }: Change): void {
    const { schemas, levels } = this.#context;
    if (store === schemas.store && type !== 'DELETED') this.#enqueue(object.key);
    if (store !== levels.store || type === 'MODIFIED') return;
    for (const schema of schemas.store.values()) {
      if (levelOf(schema) === object.metadata.name) this.#enqueue(schema.key);
    }
  }

  #enqueue(key: string): void {
    this.#context.work.add(`check flow schema ${key}`, () => this.#check(key));
  }

  #check(key: string): void {
    const { writer, schemas, levels, now } = this.#context;
    const object = schemas.store.get(key);
    if (object === undefined) return;
    const name = levelOf(object);
    const isMissing = levels.store.get(keyOfMetadata({ name })) === undefined;
    const { type, status, ...rest } = danglingCondition(name, isMissing);
    const present = objectsAt(objectAt(asJson(object.parse()), 'status'), 'conditions');
    const isSame = present.some((known) =>
      Object.entries({ type, status, ...rest }).every(([member, value]) => known[member] === value),
    );
    if (isSame) return;
    const lastTransitionTime = timestamp(now());
    const conditions = [{ type, status, lastTransitionTime, ...rest }];
    const applied = { status: { conditions }, manager: flowStatusManager, now: now() };
    applyStatus(writer, schemas, { object, ...applied });
  }
}

/** The name of the priority level of a flow schema. */
function levelOf(schema: StoredObject): string {
  const spec = objectAt(asJson(schema.parse()), 'spec');
  return textAt(objectAt(spec, 'priorityLevelConfiguration'), 'name');
}
