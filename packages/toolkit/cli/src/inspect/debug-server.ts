import { readFile } from 'node:fs/promises';
import { CliError } from '../errors.ts';

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

  /** Reads a path as text. Rejects with `DEBUG_SERVER_FAILED`. */
  async read(path: string, query: Readonly<Record<string, string>> = {}): Promise<string> {
    const { url, token } = this.#options;
    const target = new URL(`${url}${path}`);
    target.search = new URLSearchParams(query).toString();
    // A proxy may need `authorization` for itself.
    const headers = token === undefined ? {} : { 'x-keelson-token': token };
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    let response: Response;
    try {
      response = await fetch(target, { headers, signal, redirect: 'error' });
    } catch (cause) {
      throw new CliError('DEBUG_SERVER_FAILED', { url }, { cause });
    }
    const text = await response.text();
    if (response.ok) return text;
    const facts = { url, status: response.status, response: text.trim().slice(0, 200) };
    throw new CliError('DEBUG_SERVER_FAILED', facts);
  }
}
