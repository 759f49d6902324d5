import { jest } from '@jest/globals';
import { Harness } from './harness.test-support.ts';

/** Time stands still unless `pass` is called; what needs no time happens all the same. */
export function stopTheClock(): void {
  jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate'] });
}

/** Lets time pass, then lets everything happen that needs none. */
export async function pass(milliseconds: number): Promise<void> {
  await jest.advanceTimersByTimeAsync(milliseconds);
  for (let turn = 0; turn < 5; turn++) {
    await new Promise<void>((resolve) => setImmediate(resolve));
    await jest.advanceTimersByTimeAsync(0);
  }
}

/** A harness without WatchList. */
export function listing(options: ConstructorParameters<typeof Harness>[0] = {}): Harness {
  const harness = new Harness(options);
  harness.source.supportsWatchList = false;
  return harness;
}

export function lastRequest(harness: Harness): unknown {
  return harness.source.requests.at(-1);
}

export function thing(name: string, metadata: object = {}): object {
  return {
    apiVersion: 'example.com/v1',
    kind: 'Thing',
    metadata: { name, namespace: 'default', uid: `uid-${name}`, resourceVersion: '1', ...metadata },
  };
}

/** Begins to answer and ends, without a word. */
export async function* cutShort(): AsyncGenerator<{ frames: never[]; receivedAt: number }> {
  yield { frames: [], receivedAt: 0 };
}
