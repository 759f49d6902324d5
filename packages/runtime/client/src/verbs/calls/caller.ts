import { withLinkedSignal } from '@keelson/apimachinery';
import { withDeadline } from './deadline.ts';
import type { HttpResponse } from '../../http/http-response.ts';
import type { RequestVerb } from '../../http/observer.ts';
import { jsonOf } from './json-body.ts';
import { checkPatch, patchMediaTypes, type Patch } from './patch.ts';
import {
  writeQuery,
  type ApplyOptions,
  type RequestOptions,
  type WriteOptions,
} from './request-options.ts';
import { readObject } from './response-object.ts';
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

/** One call of a verb, before it becomes a request. */
export interface Call {
  readonly verb: Exclude<RequestVerb, 'watch'>;
  readonly path: string;
  readonly query: string;
  /** An object is sent as JSON, a string unchanged. */
  readonly body?: object | string | undefined;
  readonly contentType?: string;
  readonly accept?: string;
  /** The object of a write, for the observers of writes. `undefined` for a read. */
  readonly target?: WriteTarget | undefined;
  /** Reads the response. Default: exactly one object. */
  readonly read?: Reader;
}

type Reader = (response: HttpResponse) => Promise<object>;
type CallOptions = RequestOptions & Pick<WriteOptions, 'dryRun'>;

/** Server-side apply requires a field manager. */
const defaultFieldManager = 'keelson';

const methods = {
  get: 'GET',
  list: 'GET',
  create: 'POST',
  update: 'PUT',
  patch: 'PATCH',
  delete: 'DELETE',
  deletecollection: 'DELETE',
} as const;

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
  /** Returns the signal that ends a request which begins. Default: none. */
  readonly signal?: (() => AbortSignal) | undefined;
  /** Receive the responses of writes. Default: none. */
  readonly writeObservers?: readonly WriteObserver[] | undefined;
}

/** Turns calls into requests with the settings of one client. */
export class Caller {
  readonly settings: CallerSettings;

  constructor(settings: CallerSettings) {
    this.settings = settings;
  }

  get transport(): Transport {
    return this.settings.transport;
  }

  get fieldManager(): string | undefined {
    return this.settings.fieldManager;
  }

  get compression(): boolean {
    return this.settings.compression;
  }

  /** Sends a request and reads its response; a write only while the guard permits it. */
  send<Result>(
    request: TransportRequest,
    read: (response: HttpResponse) => Result | Promise<Result>,
  ): Promise<Result> {
    const { signal } = this.settings;
    if (signal === undefined) return this.#sendGuarded(request, read);
    return withLinkedSignal([request.signal, signal()], (linked) =>
      this.#sendGuarded({ ...request, signal: linked }, read),
    );
  }

  /** The signal of a call that returns an iterator: that of the caller, and that of the client. */
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

  #sendGuarded<Result>(
    request: TransportRequest,
    read: (response: HttpResponse) => Result | Promise<Result>,
  ): Promise<Result> {
    const { guard } = this.settings;
    if (guard === undefined || isRead(request)) return this.transport.send(request, read);
    return underGuard(guard, request, (guarded) => this.transport.send(guarded, read));
  }

  call<Result>(call: Call, options: CallOptions): Promise<Result> {
    const { verb, path, query, body, contentType = 'application/json' } = call;
    const method = methods[verb];
    const headers = {
      ...(body === undefined ? {} : { 'content-type': contentType }),
      ...(call.accept === undefined ? {} : { accept: call.accept }),
      ...(verb === 'list' && this.compression ? { 'accept-encoding': 'gzip' } : {}),
    };
    const text = typeof body === 'object' ? jsonOf(body, { method, path }) : body;
    const read = this.#readerOf(call, options, text === undefined ? text : { contentType, text });
    return withDeadline(options, { method, path }, (signal) => {
      const request = { verb, method, path, query, headers, body: text, signal };
      return this.send(request, read) as Promise<Result>;
    });
  }

  patch<Result>(
    { path, target, read }: Pick<Call, 'path' | 'target' | 'read'>,
    patch: Patch<unknown>,
    options: WriteOptions,
  ): Promise<Result> {
    checkPatch(patch);
    const { type, body } = patch;
    const query = writeQuery(options, this.fieldManager);
    const contentType = patchMediaTypes[type];
    const sent = { query, body: body as object, contentType };
    return this.call({ verb: 'patch', path, target, ...sent, ...withReader(read) }, options);
  }

  apply<Result>(
    { path, target, read }: Pick<Call, 'path' | 'target' | 'read'>,
    object: object,
    options: ApplyOptions,
  ): Promise<Result> {
    const query = writeQuery(
      { ...options, force: options.force ?? true },
      this.fieldManager ?? defaultFieldManager,
    );
    const contentType = patchMediaTypes.apply;
    const sent = { query, body: object, contentType };
    return this.call({ verb: 'patch', path, target, ...sent, ...withReader(read) }, options);
  }

  /** Returns a reader of the response that also reports it to the observer, and to the observers of writes. */
  #readerOf(call: Call, options: CallOptions, sent: SentBody | undefined): Reader {
    const read = this.#writeReaderOf(call, options, sent);
    if (this.transport.observer?.objectReturned === undefined) return read;
    return async (response) => {
      const result: { readonly items?: unknown } = await read(response);
      if (call.verb !== 'list') this.returned(result);
      else for (const item of result.items as readonly object[]) this.returned(item);
      return result;
    };
  }

  #writeReaderOf(
    { target, read = readObject }: Call,
    { dryRun }: CallOptions,
    sent: SentBody | undefined,
  ): Reader {
    const { writeObservers = [] } = this.settings;
    if (target === undefined || writeObservers.length === 0 || isDryRun(dryRun)) return read;
    return async (response) => {
      const object = await read(response);
      reportWrite(writeObservers, target, {
        statusCode: response.statusCode,
        response: object,
        sent,
      });
      return object;
    };
  }
}

function withReader(read: Reader | undefined): Pick<Call, 'read'> {
  return read === undefined ? {} : { read };
}
