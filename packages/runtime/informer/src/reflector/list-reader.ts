import {
  hasCode,
  isGone,
  isResourceVersionTooLarge,
  pause,
  statusOf,
  type ListMeta,
  TimeSlice,
} from '@keelson/apimachinery';
import { CycleDetector, type Frame } from '@keelson/wire';
import { informerError } from '../errors.ts';
import type { ListCause } from '../contract/informer-observer.ts';
import type { ListerWatcher, ListRequest } from '../contract/lister-watcher.ts';
import type { PartSelection } from '../contract/watch-part.ts';
import type { ReflectorSink, Replacement } from './reflector-sink.ts';
import { isOlder } from './resource-version.ts';

const nothing = (): void => undefined;

/** Milliseconds to pause after a page without new objects. The pause doubles with each further such page. */
const PAGE_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 10_000;
/** The number of pages that may repeat the objects of earlier ones, until the list counts as endless. */
const MAX_REPEATED_PAGES = 5;
/** The number of bytes by which the first objects of two pages are compared. */
const COMPARED_BYTES = 512;

/** The members of requests that change while a watch runs. They are read when a list or a watch begins. */
export interface RequestSettings {
  /** The number of objects in one page of a list. */
  readonly pageSize: number;
  /** The part of the objects that a watch selects, and all pages of a list; empty for all. */
  readonly selection: PartSelection;
}

/** The source, the target and the callbacks of a list. */
export interface ListReaderOptions {
  readonly listerWatcher: ListerWatcher;
  readonly sink: Pick<ReflectorSink, 'replacement'>;
  readonly settings: RequestSettings;
  readonly now: () => number;
  /** Called before the whole list is read again at another version. */
  readonly onRestart: (cause: ListCause) => void;
  readonly onActivity: () => void;
}

/**
 * Reads the whole state by LIST and `continue`. It follows the rules of client-go for versions and
 * paging.
 */
export class ListReader {
  readonly #options: ListReaderOptions;
  /**
   * True if a list at version "0" had several pages. A watch cache ignores a limit at "0", so this server does not
   * serve lists from one.
   */
  #pagesAtZero = false;

  constructor(options: ListReaderOptions) {
    this.#options = options;
  }

  /** A reader of other objects of the same source, into another target. It reports neither restarts nor activity. */
  with(other: Pick<ListReaderOptions, 'sink' | 'settings'>): ListReader {
    return new ListReader({ ...this.#options, ...other, onRestart: nothing, onActivity: nothing });
  }

  /**
   * Reads a list into the store and returns its version. `from`: `"0"` for any version that the server has, `""` for
   * the newest, otherwise the last seen version.
   */
  async read(from: string, signal: AbortSignal): Promise<string> {
    try {
      return await this.#readAt(from, signal);
    } catch (error) {
      const cause = newestOnlyCause(error);
      if (cause === undefined || from === '') throw error;
      this.#options.onRestart(cause);
      return this.#readAt('', signal);
    }
  }

  async #readAt(resourceVersion: string, signal: AbortSignal): Promise<string> {
    const limit = this.#limit(resourceVersion);
    const pages = new Pages(this.#options, resourceVersion, signal);
    let page = await pages.read({ resourceVersion, ...limit });
    if (resourceVersion === '0' && hasMore(page)) this.#pagesAtZero = true;
    const tokens = new CycleDetector(undefined);
    while (hasMore(page)) {
      const token = page.continue ?? '';
      if (tokens.repeats(token) || pages.isEndless) throw informerError('LIST_ENDLESS');
      await pages.pauseWithoutProgress();
      const next = await pages.readNext(token, limit);
      if (next === undefined) return this.#readWhole(resourceVersion, signal);
      page = next;
    }
    return pages.commit(page);
  }

  /** Reads the list again without pages, because the token of the next page has expired. */
  async #readWhole(resourceVersion: string, signal: AbortSignal): Promise<string> {
    this.#options.onRestart('expired');
    const pages = new Pages(this.#options, resourceVersion, signal);
    return pages.commit(await pages.read({ resourceVersion }));
  }

  /**
   * Returns the limit of a request. A list at a specific version has none, because with a limit kube-apiserver would
   * read it from etcd instead of its watch cache.
   */
  #limit(resourceVersion: string): { limit?: number } {
    const isConcrete = resourceVersion !== '' && resourceVersion !== '0';
    return isConcrete && !this.#pagesAtZero ? {} : { limit: this.#options.settings.pageSize };
  }
}

/** Reads the pages of one list into a replacement. */
class Pages {
  readonly #options: ListReaderOptions;
  /** The version that the first request names. */
  readonly #from: string;
  readonly #signal: AbortSignal;
  readonly #replacement: Replacement;
  readonly #selection: PartSelection;
  #receivedAt: number;
  /** Number of pages in a row without a new object. */
  #withoutProgress = 0;
  /** Number of pages that repeated the objects of earlier ones. */
  #repeated = 0;
  /** The first objects of the pages. They show a repetition of objects that the store does not keep. */
  readonly #firstObjects = new CycleDetector(undefined);

  constructor(options: ListReaderOptions, from: string, signal: AbortSignal) {
    this.#options = options;
    this.#from = from;
    this.#signal = signal;
    this.#replacement = options.sink.replacement();
    this.#selection = options.settings.selection;
    this.#receivedAt = options.now();
  }

  /** True if the server repeats pages under new continue tokens. */
  get isEndless(): boolean {
    return this.#repeated > MAX_REPEATED_PAGES;
  }

  /**
   * Waits after a page without new objects, because a server that sends only such pages would otherwise receive thousands
   * of requests per second.
   */
  async pauseWithoutProgress(): Promise<void> {
    if (this.#withoutProgress === 0) return;
    const milliseconds = Math.min(
      PAGE_PAUSE_MS * 2 ** (this.#withoutProgress - 1),
      LONGEST_PAUSE_MS,
    );
    await pause(milliseconds, [this.#signal]);
  }

  /** Reads the next page. Returns its metadata, or `undefined` if the token has expired. */
  async readNext(token: string, limit: { limit?: number }): Promise<ListMeta | undefined> {
    try {
      return await this.read({ continue: token, ...limit });
    } catch (error) {
      if (isGone(error)) return undefined;
      throw error;
    }
  }

  async read(request: Omit<ListRequest, 'signal'>): Promise<ListMeta> {
    const signal = this.#signal;
    const slice = new TimeSlice(this.#options.now);
    let metadata: ListMeta | undefined;
    const page = { isEmpty: true, isKnown: true, beginsAsBefore: false };
    const sent = { ...request, ...this.#selection, signal };
    for await (const batch of this.#options.listerWatcher.list(sent)) {
      signal.throwIfAborted();
      this.#options.onActivity();
      slice.resume();
      for (const frame of batch.frames) {
        if (page.isEmpty) page.beginsAsBefore = this.#beginsAsBefore(frame);
        page.isEmpty = false;
        if (!this.#replacement.put(frame)) page.isKnown = false;
        if (slice.isDue()) await slice.pause();
      }
      if (batch.frames.length === 0 && slice.isDueWithoutWork()) await slice.pause();
      this.#receivedAt = batch.receivedAt;
      metadata = batch.listMetadata ?? metadata;
    }
    signal.throwIfAborted();
    if (metadata === undefined) throw informerError('LIST_WITHOUT_VERSION');
    // A page without objects does not count as repeated, because a server may send many before the next object.
    const isRepeated = !page.isEmpty && (page.isKnown || page.beginsAsBefore);
    if (isRepeated) this.#repeated += 1;
    this.#withoutProgress = page.isEmpty || isRepeated ? this.#withoutProgress + 1 : 0;
    return metadata;
  }

  /** True if an earlier page began with the same bytes. */
  #beginsAsBefore({ format, buffer, from, to }: Frame): boolean {
    if (format === undefined) return false;
    const length = Math.min(to - from, COMPARED_BYTES);
    const begin = Buffer.from(buffer.buffer, buffer.byteOffset + from, length);
    return this.#firstObjects.repeats(begin.toString('latin1'));
  }

  async commit({ resourceVersion }: ListMeta): Promise<string> {
    if (resourceVersion === undefined || resourceVersion === '') {
      throw informerError('LIST_WITHOUT_VERSION');
    }
    if (isOlder(resourceVersion, this.#from)) {
      throw informerError('LIST_WENT_BACK', { version: resourceVersion, requested: this.#from });
    }
    await this.#replacement.commit(resourceVersion, this.#receivedAt);
    return resourceVersion;
  }
}

function hasMore(page: ListMeta): boolean {
  return page.continue !== undefined && page.continue !== '';
}

/**
 * Returns the cause for a list at the newest version if the error concerns the requested version; `undefined` for other
 * errors.
 */
function newestOnlyCause(error: unknown): ListCause | undefined {
  if (isResourceVersionTooLarge(error) || hasCode(error, 'LIST_WENT_BACK')) return 'too-large';
  if (isGone(error)) return 'expired';
  return [400, 422].includes(statusOf(error)?.code ?? 0) ? 'error' : undefined;
}
