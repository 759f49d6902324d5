import type { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import type { StatusError } from '@keelson/apimachinery';
import type { Dispatcher } from 'undici';
import { isTornJson, statusErrorOf } from './error-answer.ts';
import { ClientError } from '../errors.ts';
import { withoutSecrets } from '../values/redacted.ts';
import type { TransportRequest } from './transport-request.ts';

/** A body that is read as a whole is held in memory: far below the longest string of V8, 512 MiB. */
const WHOLE_BODY_LIMIT_BYTES = 256 * 1024 * 1024;
/** Four times the default of zlib: each chunk is a round trip to a thread. */
const UNZIPPED_CHUNK_BYTES = 64 * 1024;
/** Longer than any Status that a server needs. */
const ERROR_BODY_LIMIT_BYTES = 1024 * 1024;
/** Their status line says all that matters: the server did nothing. */
const SELF_EXPLANATORY = new Set([401, 429]);

/** What a response has to know of its request. */
interface ResponseContext {
  /** The error to throw for what broke while the body was read. */
  readonly failureOf: (error: unknown) => unknown;
  /** Credentials that were sent: a server may echo them in an error. */
  readonly secrets: readonly string[];
}

/**
 * A response and its body, which one method reads, once. Leaving `chunks` early ends the request and closes
 * its socket. Whatever breaks while the body is read is thrown as an error of the request.
 */
export class HttpResponse {
  readonly statusCode: number;
  readonly headers: Dispatcher.ResponseData['headers'];
  readonly #body: Dispatcher.ResponseData['body'];
  readonly #request: TransportRequest;
  readonly #failureOf: (error: unknown) => unknown;
  readonly #secrets: readonly string[];

  constructor(
    request: TransportRequest,
    { statusCode, headers, body }: Dispatcher.ResponseData,
    { failureOf, secrets }: ResponseContext,
  ) {
    this.statusCode = statusCode;
    this.headers = headers;
    this.#body = body;
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

  /** The body chunk by chunk, unzipped. Reads no further than asked, so a slow consumer slows the server down. */
  async *chunks(): AsyncGenerator<Uint8Array, void, undefined> {
    try {
      yield* this.#stream() as AsyncIterable<Uint8Array>;
    } catch (error) {
      throw this.#failureOf(error);
    } finally {
      this.#body.destroy();
    }
  }

  /** The whole body, unzipped. Code `RESPONSE_TOO_LARGE`. */
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

  /** The whole body, parsed. Code `UNEXPECTED_RESPONSE` for anything but JSON. */
  async json(): Promise<unknown> {
    if (!this.contentType.includes('json')) throw this.unexpected();
    const text = await this.text();
    try {
      return JSON.parse(text);
    } catch {
      // The parser's own error quotes the text, and the text may be a Secret.
      throw this.unexpected({ reason: 'the body is not JSON' });
    }
  }

  /**
   * The error that a response without success means. Its body is read, because 409 alone does not tell a conflict
   * from an object that exists: a body that breaks is thrown as a failure of the request.
   */
  async refusal(): Promise<StatusError> {
    const { method, path } = this.#request;
    const answer = {
      statusCode: this.statusCode,
      contentType: this.contentType,
      retryAfter: this.headers['retry-after']?.toString(),
      method,
      path,
    };
    const { text, isWhole } = await this.#errorText();
    if (isWhole && !this.#explainsItself && isTornJson(this.contentType, text)) {
      throw new ClientError('CONNECTION_LOST', { method, path, reason: 'the body is cut off' });
    }
    return statusErrorOf({ ...answer, body: withoutSecrets(text, this.#secrets) });
  }

  /** Gives the response up, unread, and returns the error that says why. */
  unexpected(facts: Readonly<Record<string, unknown>> = {}): ClientError {
    // A body that is given up fails with an error, which ends the process if nothing listens for it.
    this.#body.on('error', () => undefined).destroy();
    const { method, path } = this.#request;
    return new ClientError('UNEXPECTED_RESPONSE', {
      method,
      path,
      contentType: this.contentType,
      ...facts,
    });
  }

  get #explainsItself(): boolean {
    return SELF_EXPLANATORY.has(this.statusCode);
  }

  /** The body as text up to a limit; the rest is not read. */
  async #errorText(): Promise<{ text: string; isWhole: boolean }> {
    const chunks: Uint8Array[] = [];
    let left = ERROR_BODY_LIMIT_BYTES;
    try {
      for await (const chunk of this.chunks()) {
        chunks.push(chunk);
        left -= chunk.length;
        if (left < 0) break;
      }
    } catch (error) {
      if (this.#request.signal?.aborted === true || !this.#explainsItself) throw error;
    }
    return { text: Buffer.concat(chunks).toString('utf8'), isWhole: left >= 0 };
  }

  #stream(): Readable {
    if (String(this.headers['content-encoding']).toLowerCase() !== 'gzip') return this.#body;
    const gunzip = createGunzip({ chunkSize: UNZIPPED_CHUNK_BYTES });
    // `pipe` forwards no errors and ends nothing on the other side: each has to break the other.
    this.#body.once('error', (error: Error) => gunzip.destroy(error));
    gunzip.once('close', () => this.#body.on('error', () => undefined).destroy());
    return this.#body.pipe(gunzip);
  }
}

/** Reads a stream to its end by events: to iterate over it would cost a promise for each chunk. */
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
