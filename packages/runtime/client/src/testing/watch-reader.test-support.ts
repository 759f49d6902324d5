import { builtin } from '@keelson/apimachinery';
import type { Client } from '../verbs/client.ts';
import { rejection } from './recording-server.test-support.ts';

/** Returns one line of a watch. */
export const event = (name: string): string =>
  `${JSON.stringify({ type: 'ADDED', object: { apiVersion: 'v1', kind: 'Node', metadata: { name } } })}\n`;

/** One open watch, read batch by batch. */
export class Watch {
  readonly #stop = new AbortController();
  readonly #batches: AsyncIterator<{ frames: readonly unknown[] }>;

  constructor(client: Client) {
    const source = client.listerWatcher({ resource: builtin.Node });
    this.#batches = source.watch({ signal: this.#stop.signal })[Symbol.asyncIterator]();
  }

  /** Resolves with the number of events of the next batch, or `end`. */
  async next(): Promise<number | 'end'> {
    const { done, value } = await this.#batches.next();
    return done === true ? 'end' : value.frames.length;
  }

  stop(): void {
    this.#stop.abort(new Error('stopped'));
  }
}

/** Returns the error with which the watch ends. */
export function endOf(watch: Watch | undefined): Promise<unknown> {
  return rejection(watch?.next() ?? Promise.resolve());
}

/** Opens watches, and returns them when every response has started. */
export async function opened(client: Client, count: number): Promise<Watch[]> {
  const watches = Array.from({ length: count }, () => new Watch(client));
  await Promise.all(watches.map((watch) => watch.next()));
  return watches;
}
