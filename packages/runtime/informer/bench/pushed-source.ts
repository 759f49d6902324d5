import type { KubernetesObject } from '@keelson/apimachinery';
import { jsonFormat, type Frame, type FrameBatch, type WatchEventType } from '@keelson/wire';
import type { ListerWatcher } from '@keelson/informer';

/** An object of 1.2 KB. */
export interface Item extends KubernetesObject {
  spec: { readonly filler: string };
}

export function itemAt(n: number, version: number): Item {
  const labels = { app: `app-${n % 100}`, tier: 'web' };
  const resourceVersion = String(version);
  const metadata = { name: `thing-${n}`, namespace: 'n', uid: `uid-${n}`, labels, resourceVersion };
  return {
    apiVersion: 'example.com/v1',
    kind: 'Thing',
    metadata,
    spec: { filler: 'x'.repeat(1_000) },
  };
}

export function frameOf(type: WatchEventType, object: object): Frame {
  const buffer = Buffer.from(JSON.stringify(object));
  return { type, format: jsonFormat, buffer, from: 0, to: buffer.length };
}

/** Sends this many initial objects, then the frames that the bench pushes. */
export class PushedSource implements ListerWatcher {
  readonly #objects: number;
  readonly #batches: Frame[][] = [];
  #wake: () => void = () => undefined;

  constructor(objects: number) {
    this.#objects = objects;
  }

  push(frames: Frame[]): void {
    this.#batches.push(frames);
    this.#wake();
  }

  list(): never {
    throw new Error('a WatchList is expected');
  }

  async *watch({ signal }: { readonly signal: AbortSignal }): AsyncGenerator<FrameBatch> {
    const annotations = { 'k8s.io/initial-events-end': 'true' };
    const metadata = { resourceVersion: String(this.#objects), annotations };
    const frames = Array.from({ length: this.#objects }, (_, n) =>
      frameOf('ADDED', itemAt(n, n + 1)),
    );
    yield { frames: [...frames, frameOf('BOOKMARK', { kind: 'Thing', metadata })], receivedAt: 0 };
    signal.addEventListener('abort', () => this.#wake());
    while (!signal.aborted) {
      const batch = this.#batches.shift();
      if (batch === undefined) await new Promise<void>((resolve) => (this.#wake = resolve));
      else yield { frames: batch, receivedAt: 0 };
    }
  }
}
