import { load } from 'js-yaml';
import { type Dispatcher, errors, request } from 'undici';
import { substitute, type Chapter } from './conversation.ts';
import { speakerOf, type ServerUnderTest, type Speaker } from './server-under-test.ts';
import { acceptTypes, contentTypes, type Step } from './step.ts';

/** What a server answered to one step. */
export interface Answer {
  readonly step: string;
  readonly request: string;
  readonly status: number;
  /** Parsed JSON or YAML, a text, or the lines of a watch. */
  readonly body: unknown;
  readonly warnings: readonly string[];
  readonly statusOnly: boolean;
}

const tries = 150;
const pause = 100;
/** A watch that says nothing more ends the wait for its lines. */
const silence = 3000;

/** Texts that every step may use: more than an object may hold, more than a request may, more than may be nested. */
const sizes = {
  large: 'x'.repeat(1_200_000),
  huge: 'x'.repeat(3_500_000),
  deep: `${'['.repeat(10_001)}${']'.repeat(10_001)}`,
} as const;

/** Holds conversations with one server. */
export class Player {
  readonly #server: ServerUnderTest;
  readonly #speakers: ReadonlyMap<string, Speaker>;

  constructor(server: ServerUnderTest) {
    this.#server = server;
    const users = Object.entries(server.users);
    this.#speakers = new Map(users.map(([name, cluster]) => [name, speakerOf(cluster)]));
  }

  async close(): Promise<void> {
    await Promise.all([...this.#speakers.values()].map(({ dispatcher }) => dispatcher.destroy()));
  }

  /** Plays the steps of a chapter in a namespace of its own, one after the other. */
  async play(chapter: Chapter): Promise<Answer[]> {
    const variables: Record<string, string> = { ns: `talk-${chapter.name}`, ...sizes };
    const create: Step = {
      name: 'namespace',
      request: 'POST /api/v1/namespaces',
      body: { metadata: { name: variables.ns } },
    };
    const answers: Answer[] = [];
    for (const step of [create, ...chapter.steps]) {
      await this.#step(step, variables, answers);
    }
    return answers;
  }

  async #step(raw: Step, variables: Record<string, string>, answers: Answer[]): Promise<void> {
    const step = substitute(raw, variables);
    if (step.compact === true) await this.#server.compact();
    if (step.events !== undefined) {
      await this.#watch(step, variables, answers);
      return;
    }
    let answer = await this.#ask(step);
    for (let count = 1; !isExpected(step, answer) && count < tries; count++) {
      await new Promise((resolve) => setTimeout(resolve, pause));
      answer = await this.#ask(step);
    }
    answers.push(answer);
    save(step, answer.body, variables);
  }

  async #ask(step: Step): Promise<Answer> {
    const response = await this.#send(step).catch(hungUp);
    if (response === undefined) return silenceOf(step);
    const text = await response.body.text();
    return this.#answer(step, response, parsed(text, response.headers['content-type']));
  }

  async #watch(step: Step, variables: Record<string, string>, answers: Answer[]): Promise<void> {
    const response = await this.#send(step);
    const lines: unknown[] = [];
    const at = answers.length;
    const reading = readLines(response.body, step.events ?? 0, lines);
    for (const inner of step.during ?? []) {
      await this.#step(inner, variables, answers);
    }
    await reading;
    answers.splice(at, 0, this.#answer(step, response, lines));
    save(step, lines, variables);
  }

  #answer(step: Step, response: Dispatcher.ResponseData, body: unknown): Answer {
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
    const speaker = this.#speakers.get(step.as ?? 'admin');
    if (speaker === undefined) throw new Error(`${step.name}: nobody is called ${step.as}`);
    const [method = 'GET', path = '/'] = step.request.split(/ (.*)/s);
    const text = typeof step.body === 'string' ? step.body : JSON.stringify(step.body);
    const body = method === 'GET' && text === '' ? undefined : text;
    const type = step.type ?? 'json';
    const accept = step.accept ?? 'json';
    return request(`${speaker.origin}${path}`, {
      method,
      dispatcher: speaker.dispatcher,
      headers: {
        ...speaker.headers,
        'user-agent': 'talk/1.0',
        accept: acceptTypes[accept] ?? accept,
        ...(body !== undefined && { 'content-type': contentTypes[type] ?? type }),
        ...step.headers,
      },
      ...(body !== undefined && { body }),
    });
  }
}

/** A handler that panics closes the connection. Nothing else is an answer. */
function hungUp(error: unknown): undefined {
  const isClosed = error instanceof errors.SocketError || isReset(error);
  if (!isClosed) throw error;
}

function isReset(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ECONNRESET';
}

/** What is noted of a request that a server did not answer: status 0. */
function silenceOf({ name, request: asked, statusOnly = false }: Step): Answer {
  return { step: name, request: asked, status: 0, body: '', warnings: [], statusOnly };
}

function isExpected({ until, untilBody }: Step, { status, body }: Answer): boolean {
  if (untilBody !== undefined && !JSON.stringify(body).includes(untilBody)) return false;
  return until === undefined || status === until;
}

/** Integers that JavaScript would round become texts, so that they are compared digit by digit. */
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

/** Reads lines until there are enough, the server ends, or nothing comes any more. */
async function readLines(
  body: Dispatcher.ResponseData['body'],
  count: number,
  lines: unknown[],
): Promise<void> {
  let rest = '';
  const stop = (): void => void body.destroy();
  let timer = setTimeout(stop, silence);
  try {
    for await (const chunk of body) {
      clearTimeout(timer);
      timer = setTimeout(stop, silence);
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
    // Destroying the body is how the wait ends; what was read until then counts.
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
