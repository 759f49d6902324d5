import type {
  ApiResource,
  Client,
  KubernetesObject,
  ObjectName,
  Persisted,
} from '@keelson/manager';

/** Limits of a wait. */
export interface UntilOptions {
  /** Milliseconds; default 30 000. */
  readonly timeout?: number;
}

/**
 * Resolves when the server reports an object in the wanted state; `undefined` means that the object does not
 * exist. Watches instead of polling.
 */
export async function until<T extends KubernetesObject>(
  client: Client,
  resource: ApiResource<T>,
  { namespace, name }: ObjectName,
  reached: (object: Persisted<T> | undefined) => boolean,
  { timeout = 30_000 }: UntilOptions = {},
): Promise<Persisted<T> | undefined> {
  const selection = { namespace, fieldSelector: `metadata.name=${name}` };
  const stop = new AbortController();
  const tooLate = setTimeout(() => {
    stop.abort(new Error(`${resource.kind} ${name} is not as expected after ${timeout} ms`));
  }, timeout);
  try {
    const { items, metadata } = await client.list(resource, { ...selection, signal: stop.signal });
    if (reached(items[0])) return items[0];
    const from = { ...selection, resourceVersion: metadata.resourceVersion, signal: stop.signal };
    for await (const event of client.watch(resource, from)) {
      if (event.type === 'BOOKMARK') continue;
      const object = event.type === 'DELETED' ? undefined : event.object;
      if (reached(object)) return object;
    }
    throw new Error(`the watch of ${resource.kind} ${name} ended`);
  } finally {
    clearTimeout(tooLate);
  }
}
