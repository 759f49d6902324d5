import { withDeadline } from './deadline.ts';
import { sendForJson } from './json-body.ts';
import type { RequestVerb } from './observer.ts';
import { patchMediaTypes, type Patch } from './patch.ts';
import {
  writeQuery,
  type ApplyOptions,
  type RequestOptions,
  type WriteOptions,
} from './request-options.ts';
import type { Repeatable } from './retry.ts';
import type { Transport } from './transport.ts';

/** A call of one verb. */
export interface Call {
  readonly verb: Exclude<RequestVerb, 'watch'>;
  readonly path: string;
  readonly query: string;
  /** Sent as JSON; a text is sent as it is. */
  readonly body?: object | string | undefined;
  readonly contentType?: string;
  readonly accept?: string;
  readonly repeatable?: Repeatable;
}

/** Server-side apply demands one. */
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

/** Turns calls of verbs into requests, for one default field manager. */
export class Caller {
  readonly transport: Transport;
  readonly fieldManager: string | undefined;
  /** Whether long answers may come compressed. */
  readonly compression: boolean;

  constructor(transport: Transport, fieldManager: string | undefined, compression: boolean) {
    this.transport = transport;
    this.fieldManager = fieldManager;
    this.compression = compression;
  }

  call<Result>(call: Call, options: RequestOptions): Promise<Result> {
    const { verb, path, query, body, contentType = 'application/json' } = call;
    const method = methods[verb];
    // A create that may have been acted on must not be sent again: it would make a second object.
    const repeatable = call.repeatable ?? (method === 'POST' ? 'unprocessed' : 'safe');
    const headers = {
      ...(body === undefined ? {} : { 'content-type': contentType }),
      ...(call.accept === undefined ? {} : { accept: call.accept }),
      ...(verb === 'list' && this.compression ? { 'accept-encoding': 'gzip' } : {}),
    };
    const text = typeof body === 'object' ? JSON.stringify(body) : body;
    return withDeadline(options, { method, path }, (signal) =>
      sendForJson<Result>(this.transport, {
        verb,
        method,
        path,
        query,
        headers,
        body: text,
        signal,
        repeatable,
      }),
    );
  }

  patch<Result>(
    path: string,
    { type, body }: Patch<unknown>,
    options: WriteOptions,
  ): Promise<Result> {
    const query = writeQuery(options, this.fieldManager);
    const contentType = patchMediaTypes[type];
    // Operations of a JSON patch may add to what the first sending added.
    const repeatable = type === 'json' ? 'unprocessed' : 'safe';
    return this.call(
      { verb: 'patch', path, query, body: body as object, contentType, repeatable },
      options,
    );
  }

  apply<Result>(path: string, object: object, options: ApplyOptions): Promise<Result> {
    const query = writeQuery(
      { ...options, force: options.force ?? true },
      this.fieldManager ?? defaultFieldManager,
    );
    return this.call(
      { verb: 'patch', path, query, body: object, contentType: patchMediaTypes.apply },
      options,
    );
  }
}
