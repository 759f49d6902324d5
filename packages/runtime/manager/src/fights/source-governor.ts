import {
  isDeleting,
  parseObjectKey,
  printFieldSelector,
  type ApiResource,
  type KubernetesObject,
  type ObjectName,
} from '@keelson/apimachinery';
import type { InformerEvent } from '@keelson/informer';
import type { CauseReason } from '../reconcile/cause.ts';
import { ManagerError } from '../errors.ts';
import type { UserCode } from '../user-code/user-code.ts';
import type { EventRate } from './event-rate.ts';
import { EventTokens } from './event-tokens.ts';
import type { FightWatch } from './fight-watch.ts';

/** The rate of a source, and the reports of its controller. */
export interface Governing {
  readonly rate: EventRate;
  /** True if each object of the source is the one that its request names. Its deletion is then not delayed. */
  readonly ofRequests: boolean;
  readonly fights: FightWatch;
}

export interface SourceGovernorOptions extends Governing {
  /** The name of the source in reports. */
  readonly source: string;
  readonly resource: ApiResource;
  /** `undefined` for the main cluster. */
  readonly cluster: string | undefined;
  /** Calls a function in the async context of the controller. */
  readonly inContext: (act: () => void) => void;
}

/**
 * The resourceVersion with which a watch begins at any state that the API server has cached, and sends all later ones.
 */
const ANY_VERSION = '0';

/**
 * Limits the events of each object of one watch. An event without a token delays its requests until the next token. No
 * event is dropped, so that a run follows the last one.
 */
export class SourceGovernor {
  readonly #options: SourceGovernorOptions;
  readonly #tokens: EventTokens;
  readonly #abort = new AbortController();

  constructor(options: SourceGovernorOptions) {
    this.#options = options;
    this.#tokens = new EventTokens(options.rate);
  }

  /**
   * Returns the milliseconds by which the requests of an event wait; 0 for most events. Initial objects, resyncs, and
   * the deletion of the object that a request names are not limited.
   */
  delayOf(event: InformerEvent, reason: CauseReason): number {
    if (reason === 'initial' || reason === 'resync') return 0;
    const { ofRequests, fights } = this.#options;
    if (ofRequests && reason === 'deleted') {
      // A new object of the same name begins with a full bucket.
      this.#tokens.fill(event.key);
      return 0;
    }
    const delay = this.#tokens.take(event.key, fights.clock.monotonic());
    return delay > 0 && ofRequests && beginsDeletion(event) ? 0 : delay;
  }

  /** Counts a delayed event, and reports its object. `request` is the key of its first request. */
  delayed({ key }: InformerEvent, request: string | undefined): void {
    const { rate, fights, source } = this.#options;
    const { signal } = this.#abort;
    const states = (either: AbortSignal): AsyncIterable<KubernetesObject> =>
      this.#statesOf(parseObjectKey(key), either);
    this.#options.inContext(() =>
      fights.objectDelayed({ source, request, rate, object: key, states, signal }),
    );
  }

  /** Aborts the watch of an object whose field managers are being read. */
  close(): void {
    this.#abort.abort(new ManagerError('STOPPING', { source: this.#options.source }));
  }

  async *#statesOf(
    { namespace, name }: ObjectName,
    signal: AbortSignal,
  ): AsyncGenerator<KubernetesObject> {
    const { fights, resource, cluster } = this.#options;
    const fieldSelector = printFieldSelector([
      { path: 'metadata.name', operator: '=', value: name },
    ]);
    const options = { namespace, fieldSelector, resourceVersion: ANY_VERSION, signal };
    for await (const { object } of fights.clientOf(cluster).watch(resource, options)) yield object;
  }
}

/** The governor of a source; `undefined` without a rate. */
export function governorOf(source: {
  readonly governing?: Governing | undefined;
  readonly name: string;
  readonly options: { readonly resource: ApiResource; readonly cluster?: string };
  readonly userCode: UserCode;
}): SourceGovernor | undefined {
  const { governing, name, options, userCode } = source;
  const inContext = (act: () => void): void => userCode.inContext(act);
  const facts = {
    source: name,
    resource: options.resource,
    cluster: options.cluster,
    inContext,
  };
  return governing && new SourceGovernor({ ...governing, ...facts });
}

/** True if the events of an object have the same limit. */
export function isSameRate(one: Governing | undefined, other: Governing | undefined): boolean {
  return one?.rate.burst === other?.rate.burst && one?.rate.perSecond === other?.rate.perSecond;
}

function beginsDeletion(event: InformerEvent): boolean {
  if (event.type !== 'updated') return false;
  try {
    return isDeleting(event.object) && !isDeleting(event.previous);
  } catch {
    // The metadata cannot be read. The requests of the event are then delayed as those of others.
    return false;
  }
}
