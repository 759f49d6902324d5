import type { Dispatcher } from 'undici';
import type { OpenResponse, SentRequest } from './exchange.ts';
import { abortReason } from './abort-reason.ts';
import { ChunkQueue } from './chunk-queue.ts';

/** Sends a request over undici. Resolves when the response has started. */
export function exchange(
  dispatcher: Dispatcher,
  { signal, ...request }: SentRequest,
): Promise<OpenResponse> {
  const handler = new UndiciExchange(signal);
  try {
    dispatcher.dispatch(request, handler);
  } catch (error) {
    handler.onResponseError(undefined, error as Error);
  }
  return handler.response;
}

/**
 * One request and its response. It replaces undici's `request`, which passes the body through a stream and so takes a
 * tenth more of the processor time of a long list.
 */
class UndiciExchange implements Dispatcher.DispatchHandler {
  readonly response: Promise<OpenResponse>;
  readonly #signal: AbortSignal | null;
  readonly #started: PromiseWithResolvers<OpenResponse> = Promise.withResolvers();
  readonly #abort = (): void => this.#aborted();
  #controller: Dispatcher.DispatchController | undefined;
  #body: ChunkQueue | undefined;

  constructor(signal: AbortSignal | null) {
    this.#signal = signal;
    this.response = this.#started.promise;
    signal?.addEventListener('abort', this.#abort, { once: true });
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#signal?.aborted === true) controller.abort(abortReason(this.#signal));
  }

  onResponseStart(
    controller: Dispatcher.DispatchController,
    statusCode: number,
    headers: OpenResponse['headers'],
  ): void {
    // An informational response, such as 103, precedes the response.
    if (statusCode < 200) return;
    this.#body = new ChunkQueue(controller);
    this.#started.resolve({ statusCode, headers, body: this.#body });
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#body?.push(chunk);
  }

  onResponseEnd(): void {
    if (this.#signal !== null) this.#release(this.#signal);
    this.#body?.end();
  }

  onResponseError(_controller: unknown, error: Error): void {
    if (this.#signal !== null) this.#release(this.#signal);
    this.#started.reject(error);
    this.#body?.fail(error);
  }

  /** Aborts the request. Chunks that have arrived but were not read are dropped. */
  #aborted(): void {
    const reason = abortReason(this.#signal);
    if (this.#body === undefined) this.#controller?.abort(reason);
    else this.#body.destroy(reason);
  }

  #release(signal: AbortSignal): void {
    signal.removeEventListener('abort', this.#abort);
  }
}
