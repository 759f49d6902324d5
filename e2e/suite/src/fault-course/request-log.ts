import type { ClientObserver } from '@keelson/client';
import type { InformerObserver } from '@keelson/informer';

/** Counts the requests of a client, with the cause of each list. */
export class RequestLog {
  /** Requests for a list, page by page. */
  lists = 0;
  /** Requests for a watch, those with the initial state included. */
  watches = 0;
  /** Watches with a successful response. */
  opened = 0;
  /** The cause of each list or WatchList. */
  readonly causes: string[] = [];
  #unanswered = 0;
  #relisting = false;

  readonly client: ClientObserver = {
    requestStarted: ({ verb }) => {
      this.#unanswered++;
      if (verb === 'list') this.lists++;
      if (verb === 'watch') this.watches++;
    },
    requestEnded: ({ verb }, { code }) => {
      this.#unanswered--;
      if (verb === 'watch' && code === 200) this.opened++;
    },
  };

  readonly informer: InformerObserver = {
    listing: (_watch, cause) => {
      this.causes.push(cause);
      this.#relisting = true;
    },
    healthChanged: () => {
      this.#relisting = false;
    },
  };

  /** True while data is in transit that does not depend on the clock. */
  get isBusy(): boolean {
    return this.#unanswered > 0 || this.#relisting;
  }
}
