import {
  StatusError,
  type ApiResource,
  type Clock,
  type KubernetesObject,
  type ListMeta,
  type Persisted,
  type Status,
} from '@keelson/apimachinery';
import {
  jsonFormat,
  type BatchConsumer,
  type Format,
  type Frame,
  type FrameBatch,
  type ListSplitter,
  type Splitter,
} from '@keelson/wire';
import { isListOf, isOtherKind, namesOtherList } from '../calls/expected-type.ts';
import { itemFault, NOT_A_LIST } from '../calls/response-object.ts';
import { validStatus } from '../../http/error-response.ts';
import { ClientError } from '../../errors.ts';
import type { HttpResponse } from '../../http/http-response.ts';
import type { FormatAttempt } from '../../http/protobuf/format-trials.ts';
import type { ProtobufWatch } from '../../http/protobuf/protobuf-reads.ts';
import type { TransportRequest } from '../../http/transport-request.ts';
import type { Transport } from '../../http/transport.ts';

const none: readonly Frame[] = [];

/** Yields one list response as frames. The last batch contains the metadata of the list. */
export async function* listFrames(
  transport: Transport,
  resource: ApiResource,
  request: TransportRequest,
  protobuf?: Format,
): AsyncGenerator<FrameBatch, void, undefined> {
  // The reader processes a batch before it asks for the next one, so the list ends after its last object is processed.
  const end = transport.clock.activity?.begin(`the list of ${resource.plural}`);
  try {
    yield* splitList(resource, await transport.open(request), { protobuf, clock: transport.clock });
  } finally {
    end?.();
  }
}

/**
 * Yields the frames of a list response that has already arrived. Refuses a body that is not a list of the resource as
 * soon as its type is known. That is usually before the first item, but items may also precede the kind.
 */
export async function* splitList(
  resource: ApiResource,
  response: HttpResponse,
  { protobuf, clock }: { readonly protobuf?: Format | undefined; readonly clock: Clock },
): AsyncGenerator<FrameBatch, void, undefined> {
  const splitter = formatOf(response, protobuf).listSplitter();
  try {
    for (;;) {
      const chunk = await response.read();
      if (chunk === undefined) break;
      const batch = { frames: splitter.push(chunk), receivedAt: clock.monotonic() };
      if (namesOtherList(resource, splitter)) throw notAList(response, splitter);
      yield batch;
    }
  } finally {
    response.discard();
  }
  splitter.end();
  if (!isListOf(resource, splitter)) throw notAList(response, splitter);
  const listMetadata: ListMeta = splitter.metadata ?? {};
  yield { frames: none, receivedAt: clock.monotonic(), listMetadata };
}

/** The request of a watch. */
export interface WatchSource {
  readonly transport: Transport;
  readonly resource: ApiResource;
  readonly request: TransportRequest;
  /** `undefined` for a watch that requests JSON. */
  readonly protobuf?: ProtobufWatch | undefined;
  /** Receives the outcome. `undefined` for a watch that never uses protobuf. */
  readonly attempt?: FormatAttempt | undefined;
}

/**
 * Yields one watch response as frames. The first batch is empty and reports that the watch is open. A watch in protobuf
 * ends once its kind was refused.
 */
export async function* watchFrames(
  source: WatchSource,
): AsyncGenerator<FrameBatch, void, undefined> {
  const { transport, request, protobuf } = source;
  let response: HttpResponse | undefined;
  try {
    response = await transport.open(request);
    // The variables are set to `undefined` before each wait. A generator keeps its variables, so an idle watch would
    // keep its last chunk in memory.
    let chunk: Uint8Array | undefined;
    let batch: FrameBatch | undefined;
    const frames = new WatchFrames(source, response, (split) => {
      batch = split;
      return undefined;
    });
    yield { frames: none, receivedAt: transport.clock.monotonic() };
    while (protobuf?.reading.isRefused !== true) {
      chunk = await response.read();
      if (chunk === undefined) {
        frames.end();
        source.attempt?.ended();
        return;
      }
      void frames.take(chunk);
      if (batch !== undefined) yield batch;
      chunk = undefined;
      batch = undefined;
    }
  } catch (error) {
    source.attempt?.failed(error, request.signal?.aborted === true);
    throw protobuf === undefined ? error : protobuf.checked(error);
  } finally {
    response?.discard();
  }
}

/**
 * Passes one watch response to `consume`: the batches of `watchFrames`, each in the call in which its bytes arrive.
 * Resolves when the response has ended.
 */
export async function passWatchFrames(source: WatchSource, consume: BatchConsumer): Promise<void> {
  const { transport, request, protobuf } = source;
  let response: HttpResponse | undefined;
  try {
    response = await transport.open(request);
    const frames = new WatchFrames(source, response, consume);
    await consume({ frames: none, receivedAt: transport.clock.monotonic() });
    await response.passTo(frames.take);
    frames.end();
    source.attempt?.ended();
  } catch (error) {
    source.attempt?.failed(error, request.signal?.aborted === true);
    // A watch whose kind was refused while it was open ends normally.
    if (response === undefined || protobuf?.reading.isRefused !== true) {
      throw protobuf === undefined ? error : protobuf.checked(error);
    }
  } finally {
    response?.discard();
  }
}

/** Splits one watch response, and passes the batches to a consumer. */
class WatchFrames {
  readonly #source: WatchSource;
  readonly #response: HttpResponse;
  readonly #consume: BatchConsumer;
  readonly #splitter: Splitter;
  #isOpening = true;

  constructor(source: WatchSource, response: HttpResponse, consume: BatchConsumer) {
    this.#source = source;
    this.#response = response;
    this.#consume = consume;
    this.#splitter = formatOf(response, source.protobuf?.format).watchSplitter();
    source.attempt?.opened();
  }

  /** Passes the frames of a chunk. A watch in protobuf ends once its kind was refused. */
  readonly take = (chunk: Uint8Array): Promise<void> | undefined => {
    const { resource, request, protobuf, transport } = this.#source;
    let frames = this.#splitter.push(chunk);
    for (const { type } of frames) {
      if (type !== 'ERROR') continue;
      frames = withoutSecrets(this.#response, frames);
      break;
    }
    if (this.#isOpening && frames[0] !== undefined) {
      this.#isOpening = false;
      checkFirst(resource, { request, response: this.#response }, frames[0]);
      this.#source.attempt?.worked();
    }
    const pending = this.#consume({ frames, receivedAt: transport.clock.monotonic() });
    if (protobuf?.reading.isRefused === true) this.#response.discard();
    return pending;
  };

  end(): void {
    this.#splitter.end();
  }
}

/** Refuses a watch that begins with an error or with other objects. */
function checkFirst(
  resource: ApiResource,
  { request, response }: { readonly request: TransportRequest; readonly response: HttpResponse },
  first: Frame,
): void {
  if (first.type === 'ERROR') throw statusOfFrame(first, request);
  checkOpening(resource, response, first);
}

/** Replaces each ERROR by its Status, without invalid members and without credentials that the server echoes. */
function withoutSecrets(response: HttpResponse, frames: readonly Frame[]): readonly Frame[] {
  return frames.map((frame) =>
    frame.type === 'ERROR'
      ? { ...frame, format: undefined, object: response.redacted(statusIn(frame)) }
      : frame,
  );
}

/** Returns the error of an ERROR frame. */
export function statusOfFrame(frame: Frame, { method, path }: TransportRequest): StatusError {
  return new StatusError(statusIn(frame), { method, path });
}

function statusIn(frame: Frame): Status {
  const sent = decoded(frame);
  return typeof sent === 'object' && sent !== null ? validStatus(sent) : {};
}

/** Parses the object of a frame. */
export function decoded({ format, buffer, from, to, object }: Frame): unknown {
  return format === undefined ? object : format.decode(buffer, from, to);
}

/** Parses the object of a frame. Throws `UNEXPECTED_RESPONSE` unless it is an object of the resource. */
export function itemOf<T extends KubernetesObject>(
  resource: ApiResource<T>,
  frame: Frame,
  { method, path }: TransportRequest,
): Persisted<T> {
  const item = decoded(frame);
  const reason = itemFault(resource, item);
  if (reason !== undefined) throw new ClientError('UNEXPECTED_RESPONSE', { method, path, reason });
  return item as Persisted<T>;
}

/** Refuses a stream of objects of another kind, such as Tables, which servers send only to kubectl. */
function checkOpening(resource: ApiResource, response: HttpResponse, frame: Frame): void {
  const kind = kindOf(frame);
  if (!isOtherKind(resource, { kind })) return;
  throw response.unexpected({ kind, expected: resource.kind });
}

/**
 * Returns the kind that an object names. It does not read the body of protobuf, which may have a field that Keelson
 * does not know.
 */
function kindOf(frame: Frame): string | undefined {
  const { format, buffer, from, to } = frame;
  if (format === undefined || format === jsonFormat) {
    return (decoded(frame) as KubernetesObject | undefined)?.kind;
  }
  const positions = format.positions();
  format.scan(buffer, from, to, positions);
  return format.identity(buffer, from, to, positions).kind;
}

function notAList(response: HttpResponse, { kind }: ListSplitter): ClientError {
  return response.unexpected({ kind, reason: NOT_A_LIST });
}

/** Returns the format that the Content-Type names. A server may send JSON although protobuf was requested. */
function formatOf(response: HttpResponse, protobuf: Format | undefined): Format {
  const { mediaType } = response;
  if (mediaType === jsonFormat.mediaType) return jsonFormat;
  if (protobuf !== undefined && mediaType === protobuf.mediaType) return protobuf;
  throw response.unexpected();
}
