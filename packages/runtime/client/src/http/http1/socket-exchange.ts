import type { OnReadOpts, Socket } from 'node:net';
import { startTimer } from '@keelson/apimachinery';
import { abortReason } from '../body/abort-reason.ts';
import { ChunkQueue } from '../body/chunk-queue.ts';
import type { OpenResponse, SentRequest } from '../body/exchange.ts';
import { ReadBuffer, SMALL_BYTES } from './read-buffer.ts';
import { requestText } from './request-text.ts';
import { ResponseParser, type ResponseHead } from './response-parser.ts';

/** One GET request on a connection of its own, and its response. The connection closes with the response. */
export class SocketExchange {
  /**
   * Lets Node.js read into the buffer of the exchange, for a socket without TLS. Each other chunk of a socket is a new
   * object with memory of its own, which costs more than parsing it.
   */
  readonly onread: OnReadOpts;
  readonly response: Promise<OpenResponse>;
  readonly #sent: SentRequest;
  readonly #started: PromiseWithResolvers<OpenResponse> = Promise.withResolvers();
  readonly #parser = new ResponseParser();
  readonly #buffer = new ReadBuffer();
  readonly #abort = (): void => this.#aborted();
  #socket: Socket | undefined;
  #body: ChunkQueue | undefined;
  #stopTimer: (() => void) | undefined;

  constructor(sent: SentRequest) {
    this.#sent = sent;
    this.response = this.#started.promise;
    this.onread = {
      buffer: () => this.#buffer.current,
      callback: (length) => {
        const buffer = this.#buffer;
        const bytes = buffer.current.subarray(0, length);
        if (length >= SMALL_BYTES || buffer.isLarge) buffer.wasRead(length);
        this.#received(bytes, true);
        return true;
      },
    };
  }

  /** Sends the request on a socket that has just been connected. */
  begin(socket: Socket): void {
    const { signal, headersTimeout } = this.#sent;
    this.#socket = socket;
    socket.on('data', (chunk: Buffer) => this.#received(chunk, false));
    socket.on('error', (error) => this.fail(error));
    socket.once('end', () => this.#closed()).once('close', () => this.#closed());
    signal?.addEventListener('abort', this.#abort, { once: true });
    if (signal?.aborted === true) return this.#aborted();
    this.#stopTimer = startTimer(headersTimeout, () => {
      const error = new Error('the response did not start in time');
      this.fail(Object.assign(error, { code: 'UND_ERR_HEADERS_TIMEOUT' }));
    });
    socket.write(requestText(this.#sent), 'latin1');
    return undefined;
  }

  /** Ends the exchange with an error, and closes the connection. */
  fail(error: Error): void {
    this.#release();
    this.#started.reject(error);
    this.#body?.fail(error);
  }

  /** Parses bytes. `isLent`: their memory is used for the next ones. */
  #received(bytes: Buffer, isLent: boolean): void {
    const parser = this.#parser;
    try {
      const body = parser.push(bytes);
      const queue = this.#body ?? this.#start(parser.head);
      if (body.length > 0) {
        if (isLent) queue?.lend(body);
        else queue?.push(body);
      }
      if (parser.isComplete) this.#end();
    } catch (error) {
      this.fail(error as Error);
    }
  }

  #start(head: ResponseHead | undefined): ChunkQueue | undefined {
    const socket = this.#socket;
    if (head === undefined || socket === undefined) return undefined;
    this.#stopTimer?.();
    this.#body = new ChunkQueue({
      pause: () => void socket.pause(),
      resume: () => void socket.resume(),
      abort: () => this.#release(),
    });
    const { statusCode, headers } = head;
    this.#started.resolve({ statusCode, headers, body: this.#body });
    return this.#body;
  }

  #closed(): void {
    try {
      this.#parser.end();
      this.#end();
    } catch (error) {
      this.fail(error as Error);
    }
  }

  #end(): void {
    this.#release();
    this.#body?.end();
  }

  /** Aborts the request. Bytes that have arrived but were not read are dropped. */
  #aborted(): void {
    const reason = abortReason(this.#sent.signal);
    this.#release();
    this.#started.reject(reason);
    this.#body?.destroy(reason);
  }

  #release(): void {
    this.#stopTimer?.();
    this.#sent.signal?.removeEventListener('abort', this.#abort);
    this.#socket?.destroy();
  }
}
