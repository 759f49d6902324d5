import type { ApiServer } from '@keelson/apiserver';
import type { ApiResource } from '@keelson/manager';
import type { Check } from './check.ts';

/** The watches that the server saw. The demo expects one per kind. */
export class WireCheck {
  readonly #server: ApiServer;
  readonly #kinds: readonly ApiResource[];
  readonly #most = new Map<ApiResource, number>();
  readonly #checks: Check[] = [];

  constructor(server: ApiServer, kinds: readonly ApiResource[]) {
    this.#server = server;
    this.#kinds = kinds;
  }

  /** Counts the open watches of each kind and keeps the maximum. */
  sample(): void {
    for (const kind of this.#kinds) {
      const open = this.#server.stats.openWatches(kind);
      this.#most.set(kind, Math.max(open, this.#most.get(kind) ?? 0));
    }
  }

  expectOpen(kind: ApiResource, expected: number, when: string): void {
    this.#checks.push({
      what: `Open watches of ${kind.kind}s ${when}`,
      expected: String(expected),
      actual: String(this.#server.stats.openWatches(kind)),
    });
  }

  /** Resolves when no watch of the kind is open, then adds a check of it. */
  async untilClosed(kind: ApiResource): Promise<void> {
    await this.#server.unwatched(kind);
    this.expectOpen(kind, 0, 'after the removal of the watch');
  }

  /** The server's statistics. Read them before other clients list. */
  checks(): Check[] {
    return [...this.#checks, ...this.#kinds.flatMap((kind) => this.#checksOf(kind))];
  }

  #checksOf(kind: ApiResource): Check[] {
    const opened = this.#server.stats.watches(kind);
    const read = this.#server.stats.lists(kind) + this.#server.stats.watchLists(kind);
    return [
      {
        what: `Open watches of ${kind.kind}s`,
        expected: '1 (at most 1 at any time)',
        actual: `${this.#server.stats.openWatches(kind)} (at most ${this.#most.get(kind) ?? 0} at any time)`,
      },
      {
        what: `Lists of ${kind.kind}s, for a watch that was opened ${opened} times`,
        expected: '1',
        actual: String(read),
      },
    ];
  }
}
