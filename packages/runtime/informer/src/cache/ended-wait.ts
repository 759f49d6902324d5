import { withLinkedSignal } from '@keelson/apimachinery';

/** Runs a wait with the signal of its options, and with the one that ends all waits of a reader, if it has one. */
export async function endedWait<Options extends { readonly signal?: AbortSignal }, Result>(
  end: AbortSignal | undefined,
  options: Options,
  wait: (options: Options) => Promise<Result>,
): Promise<Result> {
  if (end === undefined) return wait(options);
  return withLinkedSignal([options.signal, end], (signal) => wait({ ...options, signal }));
}
