import { useEffect, useState } from 'preact/hooks';
import { readJson } from './connection.ts';

/** Milliseconds between two reads of a page that is not a stream, and times the duration of a read if that is longer. */
const INTERVAL_MS = 1000;
const INTERVAL_FACTOR = 5;

/** The latest data of a page, and the error of the last read. */
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
  const { filter: _, ...subject } = query;
  const subjectId = JSON.stringify([path, subject]);
  // Another filter keeps what is shown until its own rows arrive.
  useEffect(() => setLoaded({ value: undefined, error: undefined }), [subjectId]);
  useEffect(() => {
    const stop = new AbortController();
    let timer: number | undefined;
    const read = async (): Promise<void> => {
      const began = performance.now();
      try {
        const value = await readJson<T>(path, query, stop.signal);
        setLoaded({ value, error: undefined });
      } catch (error) {
        if (stop.signal.aborted) return;
        setLoaded(({ value }) => ({ value, error: String(error) }));
      }
      if (isPaused || stop.signal.aborted) return;
      const wait = Math.max(INTERVAL_MS, (performance.now() - began) * INTERVAL_FACTOR);
      timer = window.setTimeout(() => void read(), wait);
    };
    void read();
    return () => {
      stop.abort();
      window.clearTimeout(timer);
    };
  }, [id, isPaused]);
  return loaded;
}
