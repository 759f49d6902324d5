import {
  builtin,
  isNotFound,
  type Clock,
  type DeepReadonly,
  type KubernetesObject,
} from '@keelson/apimachinery';
import type { Client } from '@keelson/manager';
import { timestamp } from '../objects/times.ts';

/** The content of an Event. */
export interface EventText {
  /** Default `Normal`. */
  readonly type?: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
}

/** The component that an Event names as its source. */
export interface EventSource {
  readonly component: string;
  readonly host?: string;
}

/** Records Events of one component. */
export type RecordEvent = (object: DeepReadonly<KubernetesObject>, event: EventText) => void;

/** An Event that exists, and its count. */
interface Written {
  readonly name: string;
  readonly namespace: string;
  count: number;
}

/** Texts about one object and reason, after which further texts are combined (client-go's `defaultAggregateMaxEvents`). */
const MAX_TEXTS = 10;
/** The time in which texts count as similar (client-go's `defaultAggregateIntervalInSeconds`). */
const SIMILAR_MS = 600_000;
/** Events about one object from one source that are written at once (client-go's `defaultSpamBurst`). */
const BURST = 25;
/** The time after which one more Event may be written (client-go's `defaultSpamQPS`). */
const REFILL_MS = 300_000;

/**
 * Writes Events of the kind v1, as kube-controller-manager, kube-scheduler and kubelet do: a repetition raises the count of
 * the Event, the eleventh text about an object and a reason is combined with later ones, and Events about one object are
 * limited in number. Recording never waits and never fails.
 */
export class EventLog {
  readonly #client: Client;
  readonly #clock: Clock;
  readonly #written = new Map<string, Written>();
  readonly #texts = new Map<string, { since: number; readonly texts: Set<string> }>();
  readonly #tokens = new Map<string, { count: number; since: number }>();
  /** The writes about each object, which are made one after the other. */
  readonly #writing = new Map<string, Promise<void>>();
  #serial = 0;

  constructor(client: Client, clock: Clock) {
    this.#client = client;
    this.#clock = clock;
  }

  /** Returns the recorder of a component. */
  recorder(source: EventSource): RecordEvent {
    return (object, event) => this.#record(source, object, event);
  }

  #record(source: EventSource, object: DeepReadonly<KubernetesObject>, event: EventText): void {
    const involvedObject = referenceTo(object);
    const about = JSON.stringify([source, { ...involvedObject, resourceVersion: undefined }]);
    if (!this.#mayWrite(about)) return;
    const similar = JSON.stringify([about, event.type ?? 'Normal', event.reason]);
    const isCombined = this.#isCombined(similar, event.message);
    const message = isCombined ? `(combined from similar events): ${event.message}` : event.message;
    const key = isCombined ? similar : JSON.stringify([similar, event.message]);
    const { type = 'Normal', reason } = event;
    const text = { type, reason, message };
    const now = timestamp(this.#clock.now());
    const writing = (this.#writing.get(about) ?? Promise.resolve())
      .then(() => this.#write(key, { source, involvedObject, text, now }))
      // The server refuses Events in namespaces that are being deleted, for example.
      .catch(() => undefined)
      .finally(() => {
        if (this.#writing.get(about) === writing) this.#writing.delete(about);
      });
    this.#writing.set(about, writing);
  }

  #mayWrite(about: string): boolean {
    const now = this.#clock.now();
    const tokens = this.#tokens.get(about) ?? { count: BURST, since: now };
    const refilled = Math.floor((now - tokens.since) / REFILL_MS);
    const count = Math.min(BURST, tokens.count + refilled);
    this.#tokens.set(about, {
      count: Math.max(0, count - 1),
      since: tokens.since + refilled * REFILL_MS,
    });
    return count > 0;
  }

  #isCombined(similar: string, message: string): boolean {
    const now = this.#clock.now();
    const known = this.#texts.get(similar);
    const group =
      known && now - known.since <= SIMILAR_MS ? known : { since: now, texts: new Set<string>() };
    group.texts.add(message);
    group.since = now;
    this.#texts.set(similar, group);
    return group.texts.size >= MAX_TEXTS;
  }

  async #write(
    key: string,
    {
      source,
      involvedObject,
      text,
      now,
    }: {
      readonly source: EventSource;
      readonly involvedObject: ReturnType<typeof referenceTo>;
      readonly text: Required<EventText>;
      readonly now: string;
    },
  ): Promise<void> {
    const known = this.#written.get(key);
    if (known !== undefined && (await this.#extend(known, text, now))) return;
    this.#serial += 1;
    const suffix = `${this.#clock.now().toString(16)}${this.#serial.toString(16).padStart(5, '0')}`;
    const namespace = involvedObject.namespace ?? 'default';
    const name = `${involvedObject.name.slice(0, 230)}.${suffix}`;
    await this.#client.create(builtin.Event, {
      metadata: { name, namespace },
      involvedObject,
      ...text,
      source: { ...source },
      firstTimestamp: now,
      lastTimestamp: now,
      count: 1,
      reportingComponent: source.component,
      reportingInstance: source.host ?? '',
    });
    this.#written.set(key, { name, namespace, count: 1 });
  }

  /** Returns false if the server has deleted the Event. */
  async #extend(known: Written, { message }: EventText, lastTimestamp: string): Promise<boolean> {
    known.count += 1;
    const body = { count: known.count, lastTimestamp, message };
    try {
      await this.#client.patch(builtin.Event, known, { type: 'merge', body });
      return true;
    } catch (error) {
      if (isNotFound(error)) return false;
      throw error;
    }
  }
}

function referenceTo(object: DeepReadonly<KubernetesObject>): {
  apiVersion: string;
  kind: string;
  name: string;
  namespace?: string;
  uid: string;
  resourceVersion: string;
} {
  const { apiVersion = '', kind = '', metadata = {} } = object;
  const { name = '', namespace, uid = '', resourceVersion = '' } = metadata;
  return {
    apiVersion,
    kind,
    name,
    ...(namespace !== undefined && { namespace }),
    uid,
    resourceVersion,
  };
}
