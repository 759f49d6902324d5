import { StatusError } from '@keelson/apimachinery';
import type { ResourceRegistry } from '../resources/resource-registry.ts';
import type { ServedResource } from '../resources/served-resource.ts';
import type { ApiObject } from '../storage/api-object.ts';
import type { StoredObject } from '../storage/stored-object.ts';
import type { ObjectWriter } from '../verbs/writes/object-writer.ts';

/** A warning about an object. */
export interface Warning {
  readonly reason: string;
  readonly message: string;
}

export interface EventRecorderContext {
  readonly registry: ResourceRegistry;
  readonly writer: ObjectWriter;
  /** Returns milliseconds since the epoch. */
  readonly now: () => number;
  /** The field manager of the Events. */
  readonly fieldManager: string;
}

/** Writes Events as the recorder of client-go does. Events about cluster-scoped objects are in the namespace `default`. */
export class EventRecorder {
  readonly #context: EventRecorderContext;
  readonly #component: string;
  /** Events in this process, so that two of one millisecond have different names. */
  #count = 0n;

  constructor(component: string, context: EventRecorderContext) {
    this.#component = component;
    this.#context = context;
  }

  /**
   * Creates an Event about an object. Drops it if the server refuses it, for example in a namespace that is being
   * deleted.
   */
  warn(resource: ServedResource, object: StoredObject, { reason, message }: Warning): void {
    const { registry, writer, now, fieldManager } = this.#context;
    const events = registry.byKind('v1', 'Event');
    if (events === undefined) return;
    const { name = '', namespace, uid } = object.metadata;
    const place = namespace === undefined ? {} : { namespace };
    const milliseconds = Math.trunc(now());
    const time = new Date(milliseconds).toISOString().replace(/\.\d+Z$/, 'Z');
    this.#count += 1n;
    const suffix = BigInt(milliseconds) * 1_000_000n + this.#count;
    const event = {
      apiVersion: 'v1',
      kind: 'Event',
      metadata: { name: `${name}.${suffix.toString(16)}`, namespace: namespace ?? 'default' },
      involvedObject: {
        kind: resource.facts.kind,
        ...place,
        name,
        uid,
        apiVersion: resource.apiVersion,
      },
      reason,
      message,
      source: { component: this.#component },
      firstTimestamp: time,
      lastTimestamp: time,
      count: 1,
      type: 'Warning',
      eventTime: null,
      reportingComponent: this.#component,
      reportingInstance: '',
    } as ApiObject;
    events.schema.decode(event);
    events.schema.setDefaults(event);
    try {
      writer.create(events, event, { options: { dryRun: false, fieldManager } });
    } catch (error) {
      if (!(error instanceof StatusError)) throw error;
    }
  }
}
