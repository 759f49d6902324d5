import type { ApiServer } from '@keelson/apiserver';
import type { ApiResource } from '@keelson/manager';
import type { Check } from './check.ts';

/** Time limit for the server to notice that a watch was closed. */
const TIMEOUT_MS = 10_000;

/** The watches that the server saw. The demo expects one per kind. */
export class WireCheck {
  readonly #stats: ApiServer['stats'];
  readonly #kinds: readonly ApiResource[];
  readonly #most = new Map<ApiResource, number>();
  readonly #checks: Check[] = [];

  constructor(stats: ApiServer['stats'], kinds: readonly ApiResource[]) {
    this.#stats = stats;
    this.#kinds = kinds;
  }

  /** Counts the open watches of each kind and keeps the maximum. */
  sample(): void {
    for (const kind of this.#kinds) {
      const open = this.#stats.openWatches(kind);
      this.#most.set(kind, Math.max(open, this.#most.get(kind) ?? 0));
    }
  }

  expectOpen(kind: ApiResource, expected: number, when: string): void {
    this.#checks.push({
      what: `Watches of ${kind.kind}s on the wire ${when}`,
      expected: String(expected),
      actual: String(this.#stats.openWatches(kind)),
    });
  }

  /** Resolves when no watch of the kind is open; its absence is then checked like the rest. */
  async untilClosed(kind: ApiResource): Promise<void> {
    const deadline = performance.now() + TIMEOUT_MS;
    while (this.#stats.openWatches(kind) > 0 && performance.now() < deadline) {
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    this.expectOpen(kind, 0, 'now that no controller does');
  }

  /** The server's statistics. Read them before other clients list. */
  checks(): Check[] {
    return [...this.#checks, ...this.#kinds.flatMap((kind) => this.#checksOf(kind))];
  }

  #checksOf(kind: ApiResource): Check[] {
    const opened = this.#stats.watches(kind);
    const read = this.#stats.lists(kind) + this.#stats.watchLists(kind);
    return [
      {
        what: `Watches of ${kind.kind}s on the wire, now and maximum`,
        expected: '1 and 1',
        actual: `${this.#stats.openWatches(kind)} and ${this.#most.get(kind) ?? 0}`,
      },
      {
        what: `Lists of ${kind.kind}s, for a watch that was opened ${opened} times`,
        expected: '1',
        actual: String(read),
      },
    ];
  }
}
