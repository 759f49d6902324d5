import { readFile } from 'node:fs/promises';
import { CliError } from '../errors.ts';
import { hasShape, type Shape } from './response-shape.ts';

/** Where the debug server of a manager is, and the token that it needs. */
export interface DebugServerOptions {
  /** Such as `http://127.0.0.1:8082`; behind a proxy with a path of its own, without a slash at the end. */
  readonly url: string;
  readonly token: string | undefined;
}

/** Milliseconds after which a request has failed. */
const TIMEOUT_MS = 30_000;

/** Reads the token from a file, or takes the given one. Throws `SOURCE_UNREADABLE`. */
export async function readToken(
  token: string | undefined,
  file: string | undefined,
): Promise<string | undefined> {
  if (file === undefined) return token;
  try {
    return (await readFile(file, 'utf8')).trim();
  } catch (cause) {
    throw new CliError('SOURCE_UNREADABLE', { source: file }, { cause });
  }
}

/** Requests of the debug server of a manager. */
export class DebugServer {
  readonly #options: DebugServerOptions;

  constructor(options: DebugServerOptions) {
    this.#options = options;
  }

  /** Reads a path as JSON of this form. Rejects with `DEBUG_SERVER_FAILED`. */
  async readJson<T>(path: string, shape: Shape): Promise<T> {
    const text = await this.read(path);
    const value = parsed(text);
    if (hasShape(value, shape)) return value as T;
    const reason = 'the response is not that of a debug server';
    throw new CliError('DEBUG_SERVER_FAILED', {
      url: `${this.#options.url}${path}`,
      reason,
      response: excerpt(text),
    });
  }

  /** Reads a path as text. Rejects with `DEBUG_SERVER_FAILED`. */
  async read(path: string, query: Readonly<Record<string, string>> = {}): Promise<string> {
    const { url, token } = this.#options;
    const target = new URL(`${url}${path}`);
    target.search = new URLSearchParams(query).toString();
    // A proxy may need `authorization` for itself.
    const headers = token === undefined ? {} : { 'x-keelson-token': token };
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const { status, ok, text } = await fetched(target, { headers, signal }).catch(
      (cause: unknown) => {
        throw new CliError('DEBUG_SERVER_FAILED', { url }, { cause });
      },
    );
    if (ok) return text;
    throw new CliError('DEBUG_SERVER_FAILED', { url, status, response: excerpt(text) });
  }
}

/** Rejects also if the connection breaks in the body. */
async function fetched(
  url: URL,
  options: RequestInit,
): Promise<{ status: number; ok: boolean; text: string }> {
  const response = await fetch(url, { ...options, redirect: 'error' });
  const { status, ok } = response;
  return { status, ok, text: await response.text() };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function excerpt(text: string): string {
  return text.trim().slice(0, 200);
}
