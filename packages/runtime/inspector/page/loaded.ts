import { useEffect, useState } from 'preact/hooks';
import { readJson } from './connection.ts';

/** Milliseconds between two reads of a page that is not a stream. */
const INTERVAL_MS = 1000;

/** What a page has read, or why it has not. */
export interface Loaded<T> {
  readonly value: T | undefined;
  readonly error: string | undefined;
}

/** Reads JSON now and once a second, unless it is paused. A read begins after the end of the last one. */
export function useLoaded<T>(
  path: string,
  query: Readonly<Record<string, string>>,
  isPaused: boolean,
): Loaded<T> {
  const [loaded, setLoaded] = useState<Loaded<T>>({ value: undefined, error: undefined });
  const id = JSON.stringify([path, query]);
  useEffect(
    () => setLoaded({ value: undefined, error: undefined }),
    [path, JSON.stringify(query['controller']), query['request'], query['id']],
  );
  useEffect(() => {
    const stop = new AbortController();
    let timer: number | undefined;
    const read = async (): Promise<void> => {
      try {
        const value = await readJson<T>(path, query, stop.signal);
        setLoaded({ value, error: undefined });
      } catch (error) {
        if (stop.signal.aborted) return;
        setLoaded(({ value }) => ({ value, error: String(error) }));
      }
      if (!isPaused && !stop.signal.aborted)
        timer = window.setTimeout(() => void read(), INTERVAL_MS);
    };
    void read();
    return () => {
      stop.abort();
      window.clearTimeout(timer);
    };
  }, [id, isPaused]);
  return loaded;
}
