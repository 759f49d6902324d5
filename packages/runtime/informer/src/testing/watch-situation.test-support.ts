import type { WatchHandle } from '../contract/watch-handle.ts';
import { informerError } from '../errors.ts';
import { Harness } from './harness.test-support.ts';
import { objectFrame, refused, Thing } from './scripted-source.test-support.ts';
import { SteeredSource } from './steered-source.test-support.ts';
import { pass } from './stopped-clock.test-support.ts';

/** One watch, whose every request waits for its response. */
export class Situation implements AsyncDisposable {
  readonly source: SteeredSource = new SteeredSource();
  readonly harness: Harness;
  readonly handle: WatchHandle<Thing>;

  constructor() {
    this.harness = new Harness({ listerWatcher: () => this.source, linger: 0 });
    this.handle = this.harness.acquire();
  }

  /** Waits for the next request, without responding to it. */
  async request(): Promise<void> {
    for (let waited = 0; this.source.pending === undefined && waited < 700_000; waited += 50) {
      await pass(50);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.harness[Symbol.asyncDispose]();
  }
}

export type Act = (situation: Situation) => Promise<void> | void;

/** Responds to the next request. */
function next(respond: (source: SteeredSource) => void): Act {
  return async (situation) => {
    await situation.request();
    respond(situation.source);
    await pass(0);
  };
}

export function steps(...acts: readonly Act[]): Act {
  return async (situation) => {
    for (const act of acts) await act(situation);
  };
}

export const listed: Act = next((source) => source.listed());
export const opened: Act = next((source) => source.opened());
export const down: Act = next((source) => source.fail(refused()));
export const forbidden: Act = next((source) => source.refuse(403, 'Forbidden'));
export const notFound: Act = next((source) => source.refuse(404, 'NotFound'));
export const expired: Act = next((source) => source.refuse(410, 'Expired'));
export const throttled: Act = next((source) =>
  source.refuse(429, 'TooManyRequests', { retryAfterSeconds: 9 }),
);
export const broken: Act = next((source) => source.refuse(500, 'InternalError'));
/** The memory budget has no room for the objects of the list. */
export const crowded: Act = next((source) => source.fail(informerError('MEMORY_BUDGET_EXCEEDED')));
export const begun: Act = next((source) => source.begun());
export const live: Act = steps(listed, opened, () => pass(20_000));
/** Lets time pass until the watch gives its silent stream up. */
export const quiet: Act = (situation) => situation.request();
export const restart: Act = async ({ handle }) => {
  handle.restart().catch(() => undefined);
  await pass(0);
};
export const served: Act = async ({ harness }) => {
  harness.cache.served(Thing);
  await pass(0);
};
export const stop: Act = async ({ handle }) => {
  handle.release();
  await pass(0);
};
/** The open stream ends: normally, or by an error. */
export const ended: Act = async ({ source }) => {
  source.stream?.end();
  await pass(0);
};
export const cut: Act = async ({ source }) => {
  source.stream?.end(new Error('reset'));
  await pass(0);
};

/** The memory budget has no room for an event. */
export const crowdedEvent: Act = async ({ source }) => {
  source.stream?.end(informerError('MEMORY_BUDGET_EXCEEDED'));
  await pass(0);
};

/** The server sends an ERROR event. */
export function errorEvent(code: number, reason: string): Act {
  return async ({ source }) => {
    source.stream?.push([objectFrame('ERROR', { kind: 'Status', code, reason })]);
    await pass(0);
  };
}
