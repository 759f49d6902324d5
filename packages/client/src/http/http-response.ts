import type { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import type { StatusError } from '@keelson/apimachinery';
import type { OpenResponse } from './http2/exchange.ts';
import { errorBodyOf } from './protobuf/error-body.ts';
import { isTruncatedJson, statusErrorOf } from './error-response.ts';
import { ClientError } from '../errors.ts';
import { withoutSecretsIn } from '../values/redacted.ts';
import type { TransportRequest } from './transport-request.ts';

/** Upper bound of a body that is read into memory. The longest string of V8 has 512 MiB. */
const WHOLE_BODY_LIMIT_BYTES = 256 * 1024 * 1024;
/**
 * Chunk size of decompression: four times the default of zlib, because each chunk costs a thread round trip.
 */
const UNZIPPED_CHUNK_BYTES = 64 * 1024;
/** Upper bound of the body of an error response. A Status is much smaller. */
const ERROR_BODY_LIMIT_BYTES = 1024 * 1024;
/** Status codes that are complete without a body: the server certainly did nothing. */
const COMPLETE_WITHOUT_BODY = new Set([401, 429]);

/** The facts of a request that its response needs. */
interface ResponseContext {
  /** Maps an error that occurred while the body was read to the error to throw. */
  readonly failureOf: (error: unknown) => unknown;
  /** Credentials that were sent. A server may echo them in an error, so they are removed from its text. */
  readonly secrets: readonly string[];
}

/**
 * A response whose body can be read once, by one of its methods. Leaving `chunks` early ends the request and
 * closes its socket. An error while the body is read is thrown as an error of the request.
 */
export class HttpResponse {
  readonly statusCode: number;
  readonly headers: OpenResponse['headers'];
  readonly #body: Readable;
  readonly #cutOff: OpenResponse['cutOff'];
  readonly #request: TransportRequest;
  readonly #failureOf: (error: unknown) => unknown;
  readonly #secrets: readonly string[];

  constructor(
    request: TransportRequest,
    { statusCode, headers, body, cutOff }: OpenResponse,
    { failureOf, secrets }: ResponseContext,
  ) {
    this.statusCode = statusCode;
    this.headers = headers;
    this.#body = body;
    this.#cutOff = cutOff;
    this.#request = request;
    this.#failureOf = failureOf;
    this.#secrets = secrets;
  }

  get contentType(): string {
    return String(this.headers['content-type'] ?? '');
  }

  get isSuccess(): boolean {
    return this.statusCode >= 200 && this.statusCode < 300;
  }

  /**
   * The decompressed body, chunk by chunk. Reading is lazy, so a slow consumer leads to backpressure on the
   * server.
   */
  async *chunks(): AsyncGenerator<Uint8Array, void, undefined> {
    try {
      yield* this.#stream() as AsyncIterable<Uint8Array>;
      const error = this.#cutOff?.();
      if (error !== undefined) throw error;
    } catch (error) {
      throw this.#failureOf(error);
    } finally {
      this.#body.destroy();
    }
  }

  /** Reads the whole body, decompressed. Throws `RESPONSE_TOO_LARGE` above 256 MiB. */
  async bytes(): Promise<Buffer> {
    try {
      return await collect(this.#stream(), this.#request);
    } catch (error) {
      this.#body.destroy();
      throw this.#failureOf(error);
    }
  }

  async text(): Promise<string> {
    return (await this.bytes()).toString('utf8');
  }

  /** Reads the whole body and parses it. Throws `UNEXPECTED_RESPONSE` if it is not JSON. */
  async json(): Promise<unknown> {
    if (!this.contentType.includes('json')) throw this.unexpected();
    const text = await this.text();
    try {
      return JSON.parse(text);
    } catch {
      // No cause: the error of the parser quotes the text, and the text may be a Secret.
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
    const { contentType, text } = await errorBodyOf(this.contentType, bytes);
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
    return statusErrorOf({ ...facts, body: text, secrets: this.#secrets });
  }

  /** Copies parsed JSON of this response without the credentials that were sent, for an error or a warning. */
  redacted<Value>(value: Value): Value {
    return withoutSecretsIn(value, this.#secrets) as Value;
  }

  /** Discards the unread body and returns an `UNEXPECTED_RESPONSE` error with the facts. */
  unexpected(facts: Readonly<Record<string, unknown>> = {}): ClientError {
    // A destroyed body emits an error, which would end the process without a listener.
    this.#body.on('error', () => undefined).destroy();
    const { method, path } = this.#request;
    const sent = this.redacted({ contentType: this.contentType, ...facts });
    return new ClientError('UNEXPECTED_RESPONSE', { method, path, ...sent });
  }

  get #isCompleteWithoutBody(): boolean {
    return COMPLETE_WITHOUT_BODY.has(this.statusCode);
  }

  /** Reads the body up to the limit and discards the rest. */
  async #errorBytes(): Promise<{ bytes: Buffer; isWhole: boolean }> {
    const chunks: Uint8Array[] = [];
    let left = ERROR_BODY_LIMIT_BYTES;
    try {
      for await (const chunk of this.chunks()) {
        chunks.push(chunk);
        left -= chunk.length;
        if (left < 0) break;
      }
    } catch (error) {
      if (this.#request.signal?.aborted === true || !this.#isCompleteWithoutBody) throw error;
    }
    return { bytes: Buffer.concat(chunks), isWhole: left >= 0 };
  }

  #stream(): Readable {
    if (String(this.headers['content-encoding']).toLowerCase() !== 'gzip') return this.#body;
    const gunzip = createGunzip({ chunkSize: UNZIPPED_CHUNK_BYTES });
    // `pipe` forwards neither errors nor closing, so each stream must destroy the other.
    this.#body.once('error', (error: Error) => gunzip.destroy(error));
    gunzip.once('close', () => this.#body.on('error', () => undefined).destroy());
    return this.#body.pipe(gunzip);
  }
}

/** Reads a stream to its end with events, because an async iterator costs a promise per chunk. */
function collect(stream: Readable, { method, path }: TransportRequest): Promise<Buffer> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  const chunks: Uint8Array[] = [];
  let length = 0;
  stream.on('error', reject);
  stream.on('end', () => resolve(Buffer.concat(chunks)));
  stream.on('data', (chunk: Uint8Array) => {
    chunks.push(chunk);
    length += chunk.length;
    if (length <= WHOLE_BODY_LIMIT_BYTES) return;
    const facts = { method, path, limitBytes: WHOLE_BODY_LIMIT_BYTES };
    stream.destroy(new ClientError('RESPONSE_TOO_LARGE', facts));
  });
  return promise;
}
