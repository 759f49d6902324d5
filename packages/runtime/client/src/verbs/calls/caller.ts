import { withLinkedSignal } from '@keelson/apimachinery';
import { withDeadline } from './deadline.ts';
import type { HttpResponse } from '../../http/http-response.ts';
import type { RequestOptions, WriteOptions } from './request-options.ts';
import { readObject } from './response-object.ts';
import type { RequestTrace } from '../../http/request-tracing.ts';
import {
  reportWrite,
  type SentBody,
  type WriteObserver,
  type WriteTarget,
} from './write-observer.ts';
import type { ProtobufReads } from '../../http/protobuf/protobuf-reads.ts';
import type { TransportRequest, WriteGuard } from '../../http/transport-request.ts';
import type { Transport } from '../../http/transport.ts';
import { isRead } from '../../http/retry.ts';
import { isDryRun } from '../../values/option-check.ts';
import { underGuard } from '../../http/write-guard.ts';

/** The request of a verb, and how to read its response. */
export interface Call {
  readonly request: TransportRequest;
  /** The object of a write, for the observers of writes. `undefined` for a read. */
  readonly target?: WriteTarget | undefined;
  /** Reads the response. Default: exactly one object. */
  readonly read?: Reader | undefined;
}

type Reader = (response: HttpResponse) => Promise<object>;
type CallOptions = RequestOptions & Pick<WriteOptions, 'dryRun'>;

/** The settings that all calls of one client share. */
export interface CallerSettings {
  readonly transport: Transport;
  /** The default field manager of writes. */
  readonly fieldManager: string | undefined;
  /** If true, list responses may be compressed. */
  readonly compression: boolean;
  /** Decides which kinds are read as protobuf. `undefined`: none. */
  readonly protobufReads?: ProtobufReads | undefined;
  /** Permits writes. `undefined`: always. */
  readonly guard?: WriteGuard | undefined;
  /** Returns the signal that ends a request. It is called when the request begins. Default: no such signal. */
  readonly signal?: (() => AbortSignal) | undefined;
  /** The observers that receive the responses of writes. Default: none. */
  readonly writeObservers?: readonly WriteObserver[] | undefined;
}

/** Sends requests with the settings of one client. */
export class Caller {
  readonly settings: CallerSettings;
  readonly transport: Transport;
  readonly fieldManager: string | undefined;
  readonly compression: boolean;
  /** True if an observer or a trace receives the objects that verbs return, or the responses of writes. */
  readonly #isObserved: boolean;

  constructor(settings: CallerSettings) {
    const { transport, writeObservers = [] } = settings;
    this.settings = settings;
    this.transport = transport;
    this.fieldManager = settings.fieldManager;
    this.compression = settings.compression;
    this.#isObserved =
      writeObservers.length > 0 ||
      transport.observer?.objectReturned !== undefined ||
      transport.isTraced;
  }

  /** Sends a request and reads its response; a write only while the guard permits it. */
  send<Result>(
    request: TransportRequest,
    read: (response: HttpResponse) => Result | Promise<Result>,
  ): Promise<Result> {
    const { signal, guard, transport } = this.settings;
    if (signal === undefined && guard === undefined) return transport.send(request, read);
    if (signal === undefined) return this.#sendGuarded(request, read);
    return withLinkedSignal([request.signal, signal()], (linked) =>
      this.#sendGuarded({ ...request, signal: linked }, read),
    );
  }

  #sendGuarded<Result>(
    request: TransportRequest,
    read: (response: HttpResponse) => Result | Promise<Result>,
  ): Promise<Result> {
    const { guard, transport } = this.settings;
    if (guard === undefined || isRead(request)) return transport.send(request, read);
    return underGuard(guard, request, (guarded) => transport.send(guarded, read));
  }

  /** Sends the request of a verb with the signal and the time limit of its options, and reads its response. */
  async call<Result>(call: Call, options: CallOptions): Promise<Result> {
    const { request, read = readObject } = call;
    const reader = this.#isObserved ? this.#reporting(read, call, options) : read;
    if (options.timeout === undefined) {
      return this.send({ ...request, signal: options.signal }, reader) as Promise<Result>;
    }
    const { method, path } = request;
    return withDeadline(
      options,
      { clock: this.transport.clock, facts: { method, path } },
      (signal) => this.send({ ...request, signal }, reader) as Promise<Result>,
    );
  }

  /**
   * Returns the signal of a call that returns an iterator. It aborts with the signal of the caller and with that of the
   * client.
   */
  signalOf(given: AbortSignal | undefined): AbortSignal | undefined {
    const own = this.settings.signal?.();
    return own === undefined || given === undefined
      ? (own ?? given)
      : AbortSignal.any([given, own]);
  }

  /** Reports an object that a verb is about to return. */
  returned(object: object): void {
    this.transport.observer?.objectReturned?.(object);
  }

  /**
   * Returns a reader that also reports the response to the observers of writes, and then to the observer of objects.
   */
  #reporting(read: Reader, { request, target }: Call, { dryRun }: CallOptions): Reader {
    const observers = target === undefined || isDryRun(dryRun) ? [] : this.settings.writeObservers;
    return async (response) => {
      const result: ReadResult = await read(response);
      if (target !== undefined && observers !== undefined && observers.length > 0) {
        const { statusCode } = response;
        reportWrite(observers, target, { statusCode, response: result, sent: sentBy(request) });
      }
      if (response.trace !== undefined && target !== undefined && !isDryRun(dryRun)) {
        traceWrite(response.trace, result);
      }
      if (request.verb !== 'list') this.returned(result);
      else for (const item of result.items as readonly object[]) this.returned(item);
      return result;
    };
  }
}

/** The members of an object or a list that are read here. */
interface ReadResult {
  readonly items?: unknown;
  readonly metadata?: { readonly uid?: string; readonly resourceVersion?: string };
}

/** Passes the version of an object to the trace. A confirmation, such as that of a deletion, has none. */
function traceWrite(trace: RequestTrace, { metadata }: ReadResult): void {
  const { uid, resourceVersion } = metadata ?? {};
  if (uid && resourceVersion) trace.wrote({ uid, resourceVersion });
}

function sentBy({ headers, body }: TransportRequest): SentBody | undefined {
  const contentType = headers?.['content-type'] ?? 'application/json';
  return body === undefined ? undefined : { contentType, text: body };
}
