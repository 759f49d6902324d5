/** A response that is not a success. */
export class RequestFailed extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

const TOKEN = 'keelson-inspector-token';

/** Returns the token of this tab. One in the fragment of the address is kept and removed from the address. */
export function readToken(): string | undefined {
  const given = /^#token=(.+)$/.exec(location.hash)?.[1];
  if (given !== undefined) {
    sessionStorage.setItem(TOKEN, decodeURIComponent(given));
    history.replaceState(undefined, '', '#/');
  }
  return sessionStorage.getItem(TOKEN) ?? undefined;
}

export function keepToken(token: string): void {
  sessionStorage.setItem(TOKEN, token);
}

/** Reads JSON of the server. `path` is below that of the page. Throws `RequestFailed`. */
export async function readJson<T>(
  path: string,
  query: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<T> {
  const response = await sent(path, query, { signal });
  return (await response.json()) as T;
}

/** Sends an action. Throws `RequestFailed`. */
export async function act(query: Readonly<Record<string, string>>): Promise<void> {
  await sent('action', query, { method: 'POST' });
}

/** Yields the messages of a stream, until the server ends it. Throws `RequestFailed`. */
export async function* messages<T>(
  path: string,
  query: Readonly<Record<string, string>>,
  signal: AbortSignal,
): AsyncGenerator<T, void, undefined> {
  const { body } = await sent(path, query, { signal });
  if (body === null) return;
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    const frames = (rest + part.value).split('\n\n');
    rest = frames.pop() ?? '';
    for (const frame of frames) {
      if (frame.startsWith('data: ')) yield JSON.parse(frame.slice('data: '.length)) as T;
    }
  }
}

async function sent(
  path: string,
  query: Readonly<Record<string, string>>,
  options: RequestInit,
): Promise<Response> {
  // Relative to the page, which may be behind a proxy with a path of its own.
  const url = new URL(`inspector/${path}`, location.href.replace(/#.*/, ''));
  url.search = new URLSearchParams(query).toString();
  const token = readToken();
  // A proxy may need `authorization` for itself: that of an API server does, and removes it.
  const headers = token === undefined ? {} : { 'x-keelson-token': token };
  const response = await fetch(url, { ...options, headers, cache: 'no-store' });
  if (!response.ok) throw new RequestFailed(response.status, (await response.text()).trim());
  return response;
}
