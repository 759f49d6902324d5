import { CodedError } from '@keelson/apimachinery';
import { inspectorPage } from '@keelson/inspector';
import { errorLine } from '../explain/error-line.ts';
import { BoundedRequests } from '../servers/bounded-requests.ts';
import type { PlainResponse } from '../servers/http-server.ts';
import { Actions, type ActionHost } from './actions.ts';
import { readController } from './controller-reader.ts';
import type { EventChannel } from './event-channel.ts';
import type { InspectedController, InspectedManager } from './inspected-manager.ts';
import { readRequest } from './request-reader.ts';
import { SnapshotFeed, wholeMessage } from './snapshot-feed.ts';
import { readSnapshot } from './snapshot-reader.ts';
import { findWatch, openWatchFeed, readWatch, type FoundWatch } from './watch-feed.ts';

/** The most streams of all readers. A page has one or two. */
const MAX_STREAMS = 16;

/**
 * Milliseconds that the page of a request waits for the API server. It is opened when something is wrong, often with that
 * server, and its other data are in memory.
 */
const REQUEST_TIMEOUT_MS = 2000;
/**
 * The most requests of all readers to the API server at the same time: they must leave the connections of the client,
 * of which there are 64, to the operator.
 */
const MAX_REQUESTS = 4;

const NOT_FOUND: PlainResponse = { status: 404, body: 'no such controller, watch or path\n' };
const NO_REQUEST: PlainResponse = { status: 400, body: 'give controller and request\n' };
const TOO_MANY: PlainResponse = { status: 503, body: 'too many streams are open\n' };
const TRANSFORMED: PlainResponse = {
  status: 409,
  body: 'the events of a watch with a transform cannot be shown\n',
};
const NO_ACTIONS: PlainResponse = {
  status: 403,
  body: 'actions are off; servers.debug.actions turns them on\n',
};

/** The headers of all responses except the page: no cache keeps them, and a browser runs no script in them. */
const dataHeaders = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
} as const;

interface PageRequest {
  readonly path: string;
  readonly query: URLSearchParams;
  readonly signal: AbortSignal;
}

/**
 * The inspector of a manager: its page, and the data that the page reads. It reads the manager only while a request or a
 * stream needs it.
 */
export class Inspector {
  readonly #manager: InspectedManager;
  readonly #actions: Actions | undefined;
  readonly #feed: SnapshotFeed;
  readonly #requests = new BoundedRequests({
    running: MAX_REQUESTS,
    timeout: REQUEST_TIMEOUT_MS,
  });
  /** Aborts when the manager stops. */
  readonly #stop = new AbortController();
  /** The streams of watches. */
  readonly #watching = new Set<EventChannel>();

  constructor(manager: InspectedManager, actions: ActionHost | undefined) {
    this.#manager = manager;
    this.#actions = actions && new Actions(actions);
    this.#feed = new SnapshotFeed(manager);
  }

  /**
   * The response to a GET request; the path is below that of the page, which is `''`. `signal` aborts when the reader is
   * gone.
   */
  async respond(path: string, query: URLSearchParams, signal: AbortSignal): Promise<PlainResponse> {
    try {
      return await this.#responseTo({ path, query, signal });
    } catch (error) {
      return refusalOf(error);
    }
  }

  /** Carries out an action. */
  async act(query: URLSearchParams): Promise<PlainResponse> {
    if (this.#actions === undefined) return NO_ACTIONS;
    try {
      return json({ done: await this.#actions.act(query) });
    } catch (error) {
      return refusalOf(error);
    }
  }

  /** Ends every stream, and the requests to the API server. */
  stop(): void {
    this.#stop.abort(new DOMException('the manager stops', 'AbortError'));
    this.#feed.stop();
    for (const channel of this.#watching) channel.end();
  }

  #responseTo({ path, query, signal }: PageRequest): Promise<PlainResponse> | PlainResponse {
    switch (path) {
      case '':
        return pageResponse();
      case '/snapshot':
        return data('application/json', `${wholeMessage(readSnapshot(this.#manager))}\n`);
      case '/stream':
        return this.#isFull() ? TOO_MANY : stream(this.#feed.open());
      case '/controller':
        return this.#controllerPage(query);
      case '/request':
        return this.#requestPage(query, signal);
      case '/watch':
        return this.#watchPage(query, (found) => json(readWatch(found)));
      case '/watch/stream':
        return this.#watchPage(query, (found) => this.#watchStream(found));
      default:
        return NOT_FOUND;
    }
  }

  async #controllerPage(query: URLSearchParams): Promise<PlainResponse> {
    const controller = this.#controllerOf(query);
    if (controller === undefined) return NOT_FOUND;
    return json(await readController(controller, query.get('filter') ?? ''));
  }

  async #requestPage(query: URLSearchParams, signal: AbortSignal): Promise<PlainResponse> {
    const key = query.get('request') ?? '';
    if (key === '') return NO_REQUEST;
    const controller = this.#controllerOf(query);
    if (controller === undefined) return NOT_FOUND;
    const signals = [signal, this.#stop.signal];
    return json(
      await readRequest(controller, key, (request) => this.#requests.run(request, signals)),
    );
  }

  #watchPage(query: URLSearchParams, respond: (found: FoundWatch) => PlainResponse): PlainResponse {
    const found = findWatch(this.#manager.clusters(), query.get('id') ?? '');
    return found === undefined ? NOT_FOUND : respond(found);
  }

  #watchStream(found: FoundWatch): PlainResponse {
    if (this.#isFull()) return TOO_MANY;
    if (found.watch.transform !== undefined) return TRANSFORMED;
    // A handle would keep a watch open that is about to end.
    if (found.watch.handles.length === 0) return NOT_FOUND;
    const channel: EventChannel = openWatchFeed(found, this.#manager.clock, () =>
      this.#watching.delete(channel),
    );
    this.#watching.add(channel);
    return stream(channel);
  }

  #isFull(): boolean {
    return this.#feed.readers + this.#watching.size >= MAX_STREAMS;
  }

  #controllerOf(query: URLSearchParams): InspectedController | undefined {
    const name = query.get('controller');
    return this.#manager.controllers().find((controller) => controller.name === name);
  }
}

async function pageResponse(): Promise<PlainResponse> {
  const { zipped, policy } = await inspectorPage();
  return {
    status: 200,
    type: 'text/html; charset=utf-8',
    headers: {
      'content-encoding': 'gzip',
      'cache-control': 'no-cache',
      'content-security-policy': policy,
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
      'referrer-policy': 'no-referrer',
    },
    body: zipped,
  };
}

function json(value: unknown): PlainResponse {
  return data('application/json', `${JSON.stringify(value)}\n`);
}

function stream(channel: EventChannel): PlainResponse {
  return data('text/event-stream', channel);
}

function data(type: string, body: PlainResponse['body']): PlainResponse {
  return { status: 200, type, headers: dataHeaders, body };
}

/** The response to an invalid request, with the text of its error. An error without a code is a bug, and is thrown. */
function refusalOf(error: unknown): PlainResponse {
  if (!(error instanceof CodedError)) throw error;
  return { status: 400, body: errorLine(error) };
}
