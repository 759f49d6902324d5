import type { ApiServer } from './api-server.ts';

/** Parsed JSON; a test asserts its shape by comparing it. */
// oxlint-disable-next-line typescript/no-explicit-any -- tests read responses member by member
export type Json = any;

export interface RawResponse {
  readonly code: number;
  readonly headers: Headers;
  readonly text: string;
  readonly body: Json;
}

const patchTypes = {
  json: 'application/json-patch+json',
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  apply: 'application/apply-patch+yaml',
} as const;

/** A client of plain HTTP and JSON, independent of `@keelson/client`. */
export class RawClient {
  readonly #server: Pick<ApiServer, 'url'>;
  readonly #headers: Record<string, string>;

  constructor(server: Pick<ApiServer, 'url'>, headers: Record<string, string> = {}) {
    this.#server = server;
    this.#headers = headers;
  }

  async send(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<RawResponse> {
    const response = await fetch(`${this.#server.url}${path}`, {
      method,
      headers: {
        ...this.#headers,
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    return { code: response.status, headers: response.headers, text, body: parsed(text) };
  }

  get(path: string, headers: Record<string, string> = {}): Promise<RawResponse> {
    return this.send('GET', path, undefined, headers);
  }

  post(path: string, body: unknown, headers: Record<string, string> = {}): Promise<RawResponse> {
    return this.send('POST', path, body, headers);
  }

  put(path: string, body: unknown): Promise<RawResponse> {
    return this.send('PUT', path, body);
  }

  patch(path: string, type: keyof typeof patchTypes, body: unknown): Promise<RawResponse> {
    return this.send('PATCH', path, body, { 'content-type': patchTypes[type] });
  }

  delete(path: string, body?: unknown): Promise<RawResponse> {
    return this.send('DELETE', path, body);
  }

  async watch(path: string, headers: Record<string, string> = {}): Promise<RawWatch> {
    const stop = new AbortController();
    const { signal } = stop;
    const response = await fetch(`${this.#server.url}${path}`, {
      headers: { ...this.#headers, ...headers },
      signal,
    });
    return new RawWatch(response, stop);
  }
}

/** Reads the events of a watch. */
export class RawWatch implements AsyncDisposable {
  readonly code: number;
  readonly #stop: AbortController;
  readonly #lines: AsyncGenerator<string>;

  constructor(response: Response, stop: AbortController) {
    this.code = response.status;
    this.#stop = stop;
    this.#lines = linesOf(response);
  }

  /** Resolves with the next event, or `undefined` after the response has ended. Rejects if the connection breaks. */
  async next(): Promise<Json> {
    const { done, value } = await this.#lines.next();
    return done === true ? undefined : parsed(value);
  }

  /** Resolves with the next events in the form `TYPE name`. */
  async titles(count: number): Promise<string[]> {
    const titles: string[] = [];
    for (let at = 0; at < count; at++) {
      const event = await this.next();
      titles.push(`${event?.type} ${event?.object.metadata.name ?? ''}`.trim());
    }
    return titles;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#lines.return(undefined).catch(() => {});
  }
}

/** The causes of a refusal in the form `FIELD: MESSAGE`; none if the response has no details. */
export function causesOf({ body }: RawResponse): string[] {
  const causes: { field: string; message: string }[] = body.details?.causes ?? [];
  return causes.map(({ field, message }) => `${field}: ${message}`);
}

async function* linesOf(response: Response): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of response.body ?? []) {
    const lines = (rest + decoder.decode(chunk as Uint8Array, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
  if (rest !== '') yield rest;
}

function parsed(text: string): Json {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
