import type { EventHandlerRegistration, WatchHandle } from '@keelson/informer';
import { EventHistory } from '../event-history.ts';

/** A handler that was added during the fault, and the keys that it had not received when it was synced. */
interface Joiner {
  readonly history: EventHistory;
  readonly registration: EventHandlerRegistration;
  readonly unseen: string[];
}

/**
 * Other users of the watch of a course: an index, a health listener, failing user code, and handlers that are added
 * during the fault.
 */
export class CourseListeners {
  readonly #joiners: Joiner[] = [];
  #handle: WatchHandle | undefined;
  #lastHealth: string | undefined;

  attach(handle: WatchHandle): void {
    this.#handle = handle;
    handle.addIndexer({ name: 'uid', head: ({ uid }) => [uid] });
    handle.onHealthChange(({ state }) => (this.#lastHealth = state));
    handle.addEventHandler(fail);
    handle.onHealthChange(fail);
    handle.addIndexer({ name: 'fails', head: fail });
  }

  /** Adds another handler once the watch exists. */
  join(): void {
    const handle = this.#handle;
    if (handle === undefined) return;
    const history = new EventHistory();
    const snapshot = handle.store.views();
    const unseen: string[] = [];
    const registration = handle.addEventHandler(history.handler);
    void registration.synced.then(() => {
      const now = new Set(handle.store.views().map(({ uid }) => uid));
      const known = new Set(history.state.map((line) => line.split(' ')[1]));
      const missed = snapshot.filter(({ uid }) => now.has(uid) && !known.has(uid));
      return unseen.push(...missed.map(({ key }) => `synced before ${key} was emitted`));
    });
    this.#joiners.push({ history, registration, unseen });
  }

  get areSynced(): boolean {
    return this.#joiners.every(({ registration }) => registration.hasSynced);
  }

  /** Returns the errors at the end of a course, given the state of the server. */
  complaints(expected: readonly string[]): string[] {
    const handle = this.#handle;
    if (handle === undefined) return ['nothing was watched'];
    const { state } = handle.health;
    return [
      ...(handle.hasSynced ? [] : ['the handle is not synced']),
      ...(this.#lastHealth === undefined || this.#lastHealth === state
        ? []
        : [`the last health was ${this.#lastHealth}, and is ${state}`]),
      ...unindexed(handle),
      ...this.#joiners.flatMap(({ unseen }) => unseen),
      ...this.#joiners
        .filter(({ history }) => history.state.join() !== expected.join())
        .map(() => 'a handler that joined late ended in another state'),
    ];
  }
}

function fail(): never {
  throw new Error('code of a user fails');
}

/** Returns the objects that a query of the index does not return, or returns with others. */
function unindexed({ store }: WatchHandle): string[] {
  const views = store.views();
  const isFound = (uid: string): boolean =>
    store.views({ index: { name: 'uid', value: uid } }).length === 1;
  return views.filter(({ uid }) => !isFound(uid)).map(({ key }) => `${key} is not indexed`);
}
