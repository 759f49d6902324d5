import { load } from 'js-yaml';
import { type Dispatcher, errors, request } from 'undici';
import { substitute, type Chapter } from './conversation.ts';
import { connectionOf, type ServerUnderTest, type UserConnection } from './server-under-test.ts';
import { acceptTypes, contentTypes, type Step } from './step.ts';

/** The response of a server to one step. */
export interface StepResponse {
  readonly step: string;
  readonly request: string;
  readonly status: number;
  /** Parsed JSON or YAML, a string, or the lines of a watch. */
  readonly body: unknown;
  readonly warnings: readonly string[];
  readonly statusOnly: boolean;
  /** True for a step that waited in vain: no response had the status or the text for which it repeats the request. */
  readonly isLate?: boolean;
}

const MOST_ATTEMPTS = 150;
const RETRY_INTERVAL_MS = 100;
/** A watch ends if it sends no line for this time. */
const WATCH_IDLE_MS = 3000;

/**
 * Variables of every step: a string above the size limit of an object, one above that of a request, and JSON nested
 * too deep.
 */
const sizes = {
  large: 'x'.repeat(1_200_000),
  huge: 'x'.repeat(3_500_000),
  deep: `${'['.repeat(10_001)}${']'.repeat(10_001)}`,
} as const;

/** Plays chapters on one server and records the responses. */
export class Player {
  readonly #server: ServerUnderTest;
  readonly #connections: ReadonlyMap<string, UserConnection>;

  constructor(server: ServerUnderTest) {
    this.#server = server;
    const users = Object.entries(server.users);
    this.#connections = new Map(users.map(([name, cluster]) => [name, connectionOf(cluster)]));
  }

  async close(): Promise<void> {
    await Promise.all(
      [...this.#connections.values()].map(({ dispatcher }) => dispatcher.destroy()),
    );
  }

  /** Plays the steps of a chapter one after the other, in a namespace of the chapter. */
  async play(chapter: Chapter): Promise<StepResponse[]> {
    const ns = `talk-${chapter.name}`;
    const variables: Record<string, string> = { ns, ...sizes, ...this.#server.variables };
    const create: Step = {
      name: 'namespace',
      request: 'POST /api/v1/namespaces',
      body: { metadata: { name: variables.ns } },
    };
    const responses: StepResponse[] = [];
    for (const step of [create, ...chapter.steps]) {
      await this.#step(step, variables, responses);
    }
    return responses;
  }

  async #step(
    raw: Step,
    variables: Record<string, string>,
    responses: StepResponse[],
  ): Promise<void> {
    const step = substitute(raw, variables);
    if (step.compact === true) await this.#server.compact();
    if (step.events !== undefined) {
      await this.#watch(step, variables, responses);
      return;
    }
    let current = await this.#request(step);
    for (let count = 1; !isExpected(step, current) && count < MOST_ATTEMPTS; count++) {
      await new Promise((resolve) => setTimeout(resolve, RETRY_INTERVAL_MS));
      current = await this.#request(step);
    }
    responses.push(isExpected(step, current) ? current : { ...current, isLate: true });
    save(step, current.body, variables);
  }

  async #request(step: Step): Promise<StepResponse> {
    const response = await this.#send(step).catch(ignoreClosedConnection);
    if (response === undefined) return withoutResponse(step);
    const text = await response.body.text();
    return this.#recordOf(step, response, parsed(text, response.headers['content-type']));
  }

  async #watch(
    step: Step,
    variables: Record<string, string>,
    responses: StepResponse[],
  ): Promise<void> {
    const response = await this.#send(step);
    const lines: unknown[] = [];
    const at = responses.length;
    const reading = readLines(response.body, step.events ?? 0, lines);
    for (const inner of step.during ?? []) {
      await this.#step(inner, variables, responses);
    }
    await reading;
    responses.splice(at, 0, this.#recordOf(step, response, lines));
    save(step, lines, variables);
  }

  #recordOf(step: Step, response: Dispatcher.ResponseData, body: unknown): StepResponse {
    const { warning = [] } = response.headers;
    return {
      step: step.name,
      request: step.request,
      status: response.statusCode,
      body,
      warnings: typeof warning === 'string' ? [warning] : warning,
      statusOnly: step.statusOnly === true,
    };
  }

  #send(step: Step): Promise<Dispatcher.ResponseData> {
    const connection = this.#connections.get(step.as ?? 'admin');
    if (connection === undefined)
      throw new Error(`unknown user (step=${step.name}, as=${step.as})`);
    const [method = 'GET', path = '/'] = step.request.split(/ (.*)/s);
    const text = typeof step.body === 'string' ? step.body : JSON.stringify(step.body);
    const body = method === 'GET' && text === '' ? undefined : text;
    const type = step.type ?? 'json';
    const accept = step.accept ?? 'json';
    return request(`${connection.origin}${path}`, {
      method,
      dispatcher: connection.dispatcher,
      headers: {
        ...connection.headers,
        'user-agent': 'talk/1.0',
        accept: acceptTypes[accept] ?? accept,
        ...(body !== undefined && { 'content-type': contentTypes[type] ?? type }),
        ...step.headers,
      },
      ...(body !== undefined && { body }),
    });
  }
}

/** Returns `undefined` for a closed connection, which a panic in a handler causes. Throws other errors. */
function ignoreClosedConnection(error: unknown): undefined {
  const isClosed = error instanceof errors.SocketError || isReset(error);
  if (!isClosed) throw error;
}

function isReset(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ECONNRESET';
}

/** The record of a request without a response: status 0. */
function withoutResponse({ name, request: line, statusOnly = false }: Step): StepResponse {
  return { step: name, request: line, status: 0, body: '', warnings: [], statusOnly };
}

function isExpected({ until, untilBody }: Step, { status, body }: StepResponse): boolean {
  if (untilBody !== undefined && !JSON.stringify(body).includes(untilBody)) return false;
  return until === undefined || status === Number(until);
}

/** Quotes integers that JavaScript would round, so that they are compared digit by digit. */
function withExactIntegers(json: string): string {
  return json.replaceAll(/("(?:[^"\\]|\\.)*")|(?<![\w.+-])-?\d{16,}(?![\w.])/g, (found, quoted) =>
    quoted === undefined ? `"${found}"` : found,
  );
}

function parsed(text: string, contentType: string | string[] | undefined): unknown {
  if (text === '') return text;
  const type = String(contentType);
  if (type.startsWith('application/yaml')) return load(text);
  return type.startsWith('application/json') ? JSON.parse(withExactIntegers(text)) : text;
}

/** Reads lines until `count` is reached, the server ends the response, or no line arrives in time. */
async function readLines(
  body: Dispatcher.ResponseData['body'],
  count: number,
  lines: unknown[],
): Promise<void> {
  let rest = '';
  const stop = (): void => void body.destroy();
  let timer = setTimeout(stop, WATCH_IDLE_MS);
  try {
    for await (const chunk of body) {
      clearTimeout(timer);
      timer = setTimeout(stop, WATCH_IDLE_MS);
      rest += String(chunk);
      for (let end = rest.indexOf('\n'); end >= 0; end = rest.indexOf('\n')) {
        const line = rest.slice(0, end);
        rest = rest.slice(end + 1);
        if (line.trim() !== '' && lines.length < count)
          lines.push(JSON.parse(withExactIntegers(line)));
      }
      if (lines.length >= count) break;
    }
  } catch (error) {
    // stop() destroys the body, which ends the loop with an AbortError; the lines read so far count.
    if (!(error instanceof Error) || error.name !== 'AbortError') lines.push(String(error));
  } finally {
    clearTimeout(timer);
  }
}

function save(step: Step, body: unknown, variables: Record<string, string>): void {
  for (const [name, path] of Object.entries(step.save ?? {})) {
    const value = path
      .split('.')
      .reduce<unknown>(
        (inner, member) =>
          typeof inner === 'object' && inner !== null ? Reflect.get(inner, member) : undefined,
        body,
      );
    variables[name] = typeof value === 'string' || typeof value === 'number' ? String(value) : '';
  }
}
