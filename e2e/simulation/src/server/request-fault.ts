import type { NormalQuery } from '@keelson/informer';

/** The requests that a fault may affect. */
export type Verb = 'list' | 'watch' | 'discovery' | 'write';

/** What happens to a request in place of its response. */
export type Effect =
  /** The connection fails before a response. */
  | { readonly does: 'refuse'; readonly code: string }
  /** No response begins. */
  | { readonly does: 'hang' }
  /** The response is an error. */
  | {
      readonly does: 'respond';
      readonly code: number;
      readonly reason: string;
      readonly retryAfter?: number;
    }
  /** The response does not come from the API: it is a page of HTML, for example. */
  | { readonly does: 'confuse' }
  /** The response begins and ends. */
  | { readonly does: 'end-at-once' }
  /** The response breaks after some objects. */
  | { readonly does: 'cut'; readonly after: number }
  /** The response begins, and nothing follows. */
  | { readonly does: 'silence' }
  /** The bookmark that ends the initial state does not arrive. */
  | { readonly does: 'endless-initial-state' };

/** An effect, the requests that it affects, and its end. */
export interface RequestFault {
  readonly effect: Effect;
  readonly verbs: readonly Verb[];
  /** The number of requests that it affects. Default: no limit. */
  readonly times?: number;
  /** Milliseconds until its end. Default: no limit. */
  readonly lasts?: number;
  /** Default: every query. */
  readonly affects?: (query: NormalQuery) => boolean;
}

interface ActiveFault extends RequestFault {
  left: number;
  readonly until: number;
}

/** The faults of requests that are active. */
export class RequestFaults {
  #active: ActiveFault[] = [];

  add(fault: RequestFault): void {
    const { times = Infinity, lasts = Infinity } = fault;
    this.#active.push({ ...fault, left: times, until: performance.now() + lasts });
  }

  clear(): void {
    this.#active = [];
  }

  /** Returns the effect on a request that begins now. */
  next(verb: Verb, query: NormalQuery): Effect | undefined {
    if (this.#active.length === 0) return undefined;
    const now = performance.now();
    this.#active = this.#active.filter(({ left, until }) => left > 0 && now < until);
    const fault = this.#active.find(
      ({ verbs, affects }) => verbs.includes(verb) && (affects === undefined || affects(query)),
    );
    if (fault === undefined) return undefined;
    fault.left--;
    return fault.effect;
  }
}
