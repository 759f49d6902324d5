/**
 * A fast API server: one kind, with responses rendered in advance. It
 * runs in a process of its own and takes commands from the runner over IPC.
 */
import { readFileSync } from 'node:fs';
import {
  createServer as createHttpServer,
  type IncomingMessage,
  type RequestListener,
  type ServerResponse,
} from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { listen, send } from './fake-response.ts';
import type { Command, Reply, ServerOptions } from './protocol.ts';
import { renderPod, renderTypedPod } from './pod.ts';
import {
  chunksOf,
  FIRST_EVENT_VERSION,
  initialEvents,
  LIST_VERSION,
  microseconds,
  podList,
  stamp,
  stampable,
  updates,
} from './pod-stream.ts';

const GONE = {
  kind: 'Status',
  apiVersion: 'v1',
  metadata: {},
  status: 'Failure',
  message: 'too old resource version: 1 (2)',
  reason: 'Expired',
  code: 410,
};

class FakeServer {
  readonly #options: ServerOptions;
  readonly #watches = new Set<ServerResponse>();
  readonly #oneResponse = Buffer.from(renderTypedPod(1, 2));
  #list: Buffer[];
  #burst: Buffer[];
  readonly #initial: Buffer[];
  #lists = 0;
  #watchRequests = 0;
  /** The start of the next watch: the missed events, or the error that its version has expired. */
  #missed: Buffer[] = [];
  #isGoneAtConnect = false;
  #wake: (() => void) | undefined;

  constructor(options: ServerOptions) {
    this.#options = options;
    const { pods, events, watchList } = options;
    this.#list = chunksOf(podList(pods, LIST_VERSION, (index) => renderPod(index, 1 + index)));
    this.#initial = watchList === true ? chunksOf(initialEvents(pods)) : [];
    this.#burst = chunksOf(updates(events ?? 0, Math.max(pods, 1)));
  }

  readonly handle: RequestListener = (request, response) => {
    void this.#respond(request, response);
  };

  async run(command: Command): Promise<Reply> {
    switch (command.name) {
      case 'reset':
        this.#reset();
        return this.#reply();
      case 'burst':
        return this.#toWatch(this.#burst);
      case 'pace':
        return this.#pace(command.perSecond, command.count);
      case 'expire':
        return this.#expire(command.how, command.changed);
      case 'stats':
        return this.#reply();
      case 'review':
      case 'churn':
        throw new Error(`a fake server has no command ${command.name}`);
    }
  }

  async #respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost');
    if (pathname !== '/api/v1/pods') return this.#one(pathname, response);
    const isWatch = ['true', '1'].includes(searchParams.get('watch') ?? '');
    if (!isWatch) {
      this.#lists++;
      return send(response, this.#list, true);
    }
    if (searchParams.get('sendInitialEvents') !== 'true') return this.#watch(response, []);
    if (this.#options.watchList !== true) return refuse(response, 422, 'Invalid');
    return this.#watch(response, this.#initial);
  }

  async #one(pathname: string, response: ServerResponse): Promise<void> {
    if (!pathname.includes('/pods/')) return refuse(response, 404, 'NotFound');
    return send(response, [this.#oneResponse], true);
  }

  async #watch(response: ServerResponse, first: readonly Buffer[]): Promise<void> {
    this.#watchRequests++;
    if (this.#isGoneAtConnect) {
      this.#isGoneAtConnect = false;
      return refuse(response, GONE.code, GONE.reason);
    }
    response.setHeader('content-type', 'application/json');
    response.flushHeaders();
    const missed = this.#missed;
    this.#missed = [];
    await send(response, [...first, ...missed], false);
    this.#watches.add(response);
    response.once('close', () => this.#watches.delete(response));
    this.#wake?.();
  }

  /** Waits for the watch, because a contender may be synced before its watch request arrives. */
  async #openWatch(): Promise<ServerResponse> {
    for (;;) {
      const [watch] = this.#watches;
      if (watch !== undefined) return watch;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  async #toWatch(chunks: readonly Buffer[]): Promise<Reply> {
    const watch = await this.#openWatch();
    const at = microseconds();
    await send(watch, chunks, false);
    return { ...this.#reply(), at };
  }

  async #pace(perSecond: number, count: number): Promise<Reply> {
    const watch = await this.#openWatch();
    const pods = this.#options.pods;
    const events = Array.from({ length: count }, (_, i) =>
      stampable(i % pods, FIRST_EVENT_VERSION + i),
    );
    const start = microseconds();
    for (const [index, line] of events.entries()) {
      sleepUntil(start + (index * 1e6) / perSecond);
      // Writes to the socket: the response would write each event in three pieces, one tick later.
      watch.socket?.write(stamp(line));
      await new Promise(setImmediate);
    }
    return this.#reply();
  }

  /** Changes the first pods without events, then ends the watch in one of three ways. */
  async #expire(how: 'stream' | 'connect' | 'cut', changed: number): Promise<Reply> {
    const watch = await this.#openWatch();
    const { pods } = this.#options;
    const version = FIRST_EVENT_VERSION + changed;
    if (how === 'cut') this.#missed = chunksOf(updates(changed, changed));
    else {
      this.#list = chunksOf(
        podList(pods, version, (index) =>
          renderPod(index, index < changed ? FIRST_EVENT_VERSION + index : 1 + index),
        ),
      );
    }
    this.#isGoneAtConnect = how === 'connect';
    const at = microseconds();
    if (how === 'stream') watch.write(`${JSON.stringify({ type: 'ERROR', object: GONE })}\n`);
    watch.end();
    return { ...this.#reply(), at };
  }

  #reset(): void {
    for (const watch of this.#watches) watch.destroy();
    this.#watches.clear();
    this.#missed = [];
    this.#lists = 0;
    this.#watchRequests = 0;
    if (this.#options.changes !== true) return;
    const { pods } = this.#options;
    this.#list = chunksOf(podList(pods, LIST_VERSION, (index) => renderPod(index, 1 + index)));
  }

  #reply(): Reply {
    return { at: microseconds(), lists: this.#lists, watches: this.#watchRequests };
  }
}

/** Blocks the thread: a timer of the event loop is a millisecond late, and spinning takes a core from the contender. */
function sleepUntil(time: number): void {
  const left = time - microseconds();
  if (left > 0) Atomics.wait(NEVER, 0, 0, left / 1000);
}

const NEVER = new Int32Array(new SharedArrayBuffer(4));

async function refuse(response: ServerResponse, code: number, reason: string): Promise<void> {
  response.writeHead(code, { 'content-type': 'application/json' });
  response.end(
    JSON.stringify({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      reason,
      code,
    }),
  );
}

const testdata = new URL('../../testdata/', import.meta.url);
const server = new FakeServer(JSON.parse(process.argv[2] ?? '{}') as ServerOptions);
const port = await listen(createHttpServer(server.handle));
const key = readFileSync(new URL('server.key.pem', testdata));
const cert = readFileSync(new URL('server.cert.pem', testdata));
const tlsPort = await listen(createTlsServer({ key, cert }, server.handle));
process.on('message', (message: { id: number; command: Command }) => {
  void server.run(message.command).then((reply) => process.send?.({ id: message.id, reply }));
});
process.on('disconnect', () => process.exit());
process.send?.({
  listening: {
    url: `http://127.0.0.1:${String(port)}`,
    tlsUrl: `https://127.0.0.1:${String(tlsPort)}`,
  },
});
