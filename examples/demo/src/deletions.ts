import type { WatchHandle } from '@keelson/manager';
import type { EventHandlerRegistration } from '@keelson/manager/cache';
import type { Check } from './check.ts';

/** Counts the `deleted` events of each object, with a handler of its own on a shared watch. */
export class Deletions {
  readonly #reports = new Map<string, number>();
  readonly #registrations: EventHandlerRegistration[] = [];

  /** Listens on a watch until `stop`. */
  listen(handle: WatchHandle): void {
    const registration = handle.addEventHandler((event) => {
      if (event.type !== 'deleted') return;
      const { uid } = event.object;
      this.#reports.set(uid, (this.#reports.get(uid) ?? 0) + 1);
    });
    this.#registrations.push(registration);
  }

  /** Whether each of these objects (by uid) was emitted as deleted, and no object twice. */
  checks(uids: readonly string[]): Check[] {
    const once = uids.filter((uid) => this.#reports.get(uid) === 1).length;
    const again = [...this.#reports.values()].filter((times) => times > 1).length;
    return [
      {
        what: 'Objects of deleted Shops whose deletion was emitted once',
        expected: `${uids.length} of ${uids.length}`,
        actual: `${once} of ${uids.length}`,
      },
      { what: 'Deletions emitted more than once', expected: '0', actual: String(again) },
    ];
  }

  stop(): void {
    for (const registration of this.#registrations) registration.remove();
  }
}
