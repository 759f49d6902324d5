import { AsyncResource } from 'node:async_hooks';
import type { StatusError, StreamActivity } from '@keelson/apimachinery';
import { gunzipped } from './body/gunzipped.ts';
import type { ChunkConsumer, ResponseBody } from './body/response-body.ts';
import type { OpenResponse } from './body/exchange.ts';
import { errorBodyOf } from './protobuf/error-body.ts';
import { cut } from '../values/cut-text.ts';
import { isTruncatedJson, statusErrorOf } from './error-response.ts';
import { ClientError } from '../errors.ts';
import { withoutSecretsIn } from '../values/redacted.ts';
import { sentSecrets } from './sent-secrets.ts';
import type { RequestTrace } from './request-tracing.ts';
import type { TransportRequest } from './transport-request.ts';

/** The most bytes of a body that is read into memory as a whole. The longest string of V8 has 512 MiB. */
const WHOLE_BODY_LIMIT_BYTES = 256 * 1024 * 1024;
/** Upper bound of the body of an error response. A Status is much smaller. */
const ERROR_BODY_LIMIT_BYTES = 1024 * 1024;
/** Upper bound in characters of a text from the body, such as a kind, in an error. */
const FACT_LIMIT = 256;
/** Status codes whose response may lack a part of its body: the code alone shows that the server did nothing. */
const COMPLETE_WITHOUT_BODY = new Set([401, 429]);

/** The parts of a request that its response uses. */
interface ResponseContext {
  /** Maps an error that occurred while the body was read to the error to throw. */
  readonly failureOf: (error: unknown) => unknown;
  /** Credentials that were sent. A server may echo them in an error, so they are removed from its text. */
  readonly secrets: readonly string[];
  /** Counts the bytes of a watch for the clock of a test. Default: none. */
  readonly stream?: StreamActivity | undefined;
}

/**
 * A response whose body can be read once, by one of its methods. An error while the body is read is thrown as an error
 * of the request.
 */
export class HttpResponse {
  readonly statusCode: number;
  readonly headers: OpenResponse['headers'];
  /** The `content-type` header; empty if it is missing. */
  readonly contentType: string;
  readonly isSuccess: boolean;
  /** The trace of the request, which the transport sets; `undefined` without one. */
  trace: RequestTrace | undefined;
  readonly #body: ResponseBody;
  readonly #request: TransportRequest;
  readonly #failureOf: (error: unknown) => unknown;
  readonly #secrets: readonly string[];
  readonly #stream: StreamActivity | undefined;
  /** The length of the chunk that the reader has and may not have processed. */
  #unprocessed = 0;

  constructor(
    request: TransportRequest,
    { statusCode, headers, body }: OpenResponse,
    { failureOf, secrets, stream }: ResponseContext,
  ) {
    this.statusCode = statusCode;
    this.headers = headers;
    this.contentType = String(headers['content-type'] ?? '');
    this.isSuccess = statusCode >= 200 && statusCode < 300;
    const isZipped = String(headers['content-encoding']).toLowerCase() === 'gzip';
    this.#body = isZipped ? gunzipped(body) : body;
    this.#request = request;
    this.#failureOf = failureOf;
    this.#secrets = secrets;
    this.#stream = stream;
    stream?.received(0);
  }

  /** The media type without its parameters. It is lower case, because its case has no meaning. */
  get mediaType(): string {
    return (this.contentType.split(';', 1)[0] ?? '').trim().toLowerCase();
  }

  /**
   * Resolves with the next chunk of the decompressed body, or with `undefined` at its end. Reading is lazy, so a slow
   * reader leads to backpressure on the server. A caller that stops earlier calls `discard`.
   */
  async read(): Promise<Uint8Array | undefined> {
    this.#stream?.received(this.#unprocessed);
    this.#unprocessed = 0;
    try {
      const next = this.#body.next();
      const chunk = next instanceof Promise ? await next : next;
      if (this.#stream !== undefined) this.#took(chunk, this.#stream);
      return chunk;
    } catch (error) {
      this.#stream?.ended();
      throw this.#failureOf(error);
    }
  }

  /**
   * Passes each chunk of the decompressed body to `consume`, in the async context of the caller, and resolves at its
   * end. The caller calls no other method that reads the body.
   */
  async passTo(consume: ChunkConsumer): Promise<void> {
    const stream = this.#stream;
    const counted = stream === undefined ? consume : countedBy(stream, consume);
    try {
      await this.#body.passTo(AsyncResource.bind(counted));
    } catch (error) {
      throw this.#failureOf(error);
    } finally {
      stream?.ended();
    }
  }

  #took(chunk: Uint8Array | undefined, stream: StreamActivity): void {
    if (chunk === undefined) return stream.ended();
    if (this.#request.acknowledges === true) {
      this.#unprocessed = chunk.length;
      return undefined;
    }
    stream.received(chunk.length);
    return stream.paused();
  }

  /** Discards the rest of the body, which ends the request. */
  discard(): void {
    this.#stream?.ended();
    this.#body.destroy();
  }

  /** Reads the whole body, decompressed. Throws `RESPONSE_TOO_LARGE` above 256 MiB. */
  async bytes(): Promise<Buffer> {
    const chunks: Uint8Array[] = [];
    let length = 0;
    try {
      for (;;) {
        const next = this.#body.next();
        const chunk = next instanceof Promise ? await next : next;
        if (chunk === undefined) return Buffer.concat(chunks);
        chunks.push(chunk);
        length += chunk.length;
        if (length > WHOLE_BODY_LIMIT_BYTES) throw tooLarge(this.#request);
      }
    } catch (error) {
      this.discard();
      throw this.#failureOf(error);
    }
  }

  async text(): Promise<string> {
    return (await this.bytes()).toString('utf8');
  }

  /** Reads the whole body and parses it. Throws `UNEXPECTED_RESPONSE` if it is not JSON. */
  async json(): Promise<unknown> {
    if (!this.mediaType.includes('json')) throw this.unexpected();
    const text = (await this.bytes()).toString('utf8');
    try {
      return JSON.parse(text);
    } catch {
      // The error has no cause, because that of the parser quotes the text, which may be a Secret.
      throw this.unexpected({ reason: 'the body is not JSON' });
    }
  }

  /**
   * Reads the body of an error response and returns it as a `StatusError`. The body is necessary because the
   * code 409 alone does not distinguish a conflict from an object that already exists. A body that is cut off
   * is thrown as a failed request.
   */
  async statusError(): Promise<StatusError> {
    const { method, path } = this.#request;
    const { bytes, isWhole } = await this.#errorBytes();
    const { contentType, text } = await errorBodyOf(this.mediaType, bytes);
    const facts = {
      statusCode: this.statusCode,
      contentType,
      retryAfter: this.headers['retry-after']?.toString(),
      method,
      path,
    };
    if (isWhole && !this.#isCompleteWithoutBody && isTruncatedJson(contentType, text)) {
      throw new ClientError('CONNECTION_LOST', { method, path, reason: 'the body is cut off' });
    }
    return statusErrorOf({ ...facts, body: text, secrets: this.#hidden() });
  }

  /** Copies parsed JSON of this response without the secrets that were sent, for an error or a warning. */
  redacted<Value>(value: Value): Value {
    return withoutSecretsIn(value, this.#hidden()) as Value;
  }

  /** The credentials of the request, and the secrets in its body. */
  #hidden(): readonly string[] {
    return [...this.#secrets, ...sentSecrets(this.#request)];
  }

  /** Discards the unread body and returns an `UNEXPECTED_RESPONSE` error with the facts. */
  unexpected(facts: Readonly<Record<string, unknown>> = {}): ClientError {
    this.discard();
    const { method, path } = this.#request;
    const sent = this.redacted({ contentType: this.contentType, ...facts });
    const short = Object.entries(sent).map(([name, fact]) => [name, shortened(fact)]);
    return new ClientError('UNEXPECTED_RESPONSE', { method, path, ...Object.fromEntries(short) });
  }

  get #isCompleteWithoutBody(): boolean {
    return COMPLETE_WITHOUT_BODY.has(this.statusCode);
  }

  /** Reads the body up to the limit and discards the rest. */
  async #errorBytes(): Promise<{ bytes: Buffer; isWhole: boolean }> {
    const chunks: Uint8Array[] = [];
    let left = ERROR_BODY_LIMIT_BYTES;
    try {
      while (left >= 0) {
        const chunk = await this.read();
        if (chunk === undefined) break;
        chunks.push(chunk);
        left -= chunk.length;
      }
    } catch (error) {
      if (this.#request.signal?.aborted === true || !this.#isCompleteWithoutBody) throw error;
    } finally {
      this.discard();
    }
    return { bytes: Buffer.concat(chunks), isWhole: left >= 0 };
  }
}

/** Counts a chunk for the clock of a test when it is processed. */
function countedBy(stream: StreamActivity, consume: ChunkConsumer): ChunkConsumer {
  return (chunk) => {
    const { length } = chunk;
    const pending = consume(chunk);
    if (pending !== undefined) return pending.then(() => stream.received(length));
    stream.received(length);
    return undefined;
  };
}

/** Cuts a long string. A value that is not a string is replaced by the name of its type. */
function shortened(fact: unknown): unknown {
  if (typeof fact === 'string') return cut(fact, FACT_LIMIT);
  return typeof fact === 'object' && fact !== null ? 'not a text' : fact;
}

function tooLarge({ method, path }: TransportRequest): ClientError {
  const facts = { method, path, limitBytes: WHOLE_BODY_LIMIT_BYTES };
  return new ClientError('RESPONSE_TOO_LARGE', facts);
}
