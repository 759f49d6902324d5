import type { EventRate } from './event-rate.ts';
import { EventTokens } from './event-tokens.ts';
import type { FightWatch } from './fight-watch.ts';

/** Limits how often a source without objects yields each request. A value without a token waits for the next token. */
export class RequestGovernor {
  readonly #rate: EventRate;
  readonly #source: string;
  readonly #fights: FightWatch;
  readonly #tokens: EventTokens;

  constructor(rate: EventRate, source: string, fights: FightWatch) {
    this.#rate = rate;
    this.#source = source;
    this.#fights = fights;
    this.#tokens = new EventTokens(rate);
  }

  /** Returns the milliseconds by which a request waits. */
  delayOf(key: string): number {
    return this.#tokens.take(key, this.#fights.clock.monotonic());
  }

  /** Counts a delayed request, and reports it. */
  delayed(key: string): void {
    this.#fights.requestDelayed({ source: this.#source, request: key, rate: this.#rate });
  }
}
