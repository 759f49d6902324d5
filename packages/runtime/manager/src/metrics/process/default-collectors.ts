import type { Registry } from 'prom-client';

/** Adds metrics of prom-client to a registry. */
type Collector = (registry: Registry) => void;

/**
 * Loads prom-client's default metrics that are read at a scrape, without those of the processor time.
 *
 * Not those that observe the garbage collector and the event loop, which cannot be stopped. And not those of
 * `process._getActiveHandles` and `process._getActiveRequests` (deprecated, DEP0161): on Node 24.21 these abort the
 * process in rare cases, because `AsyncWrap::GetOwner` asserts for a handle whose owner is gone. `nodejs_active_resources`
 * counts handles and requests without them.
 */
export async function loadDefaultCollectors(): Promise<Collector[]> {
  const modules: { readonly default: Collector }[] = await Promise.all([
    // @ts-expect-error prom-client has types for its main module only
    import('prom-client/lib/metrics/processStartTime.js'),
    // @ts-expect-error prom-client has types for its main module only
    import('prom-client/lib/metrics/osMemoryHeap.js'),
    // @ts-expect-error prom-client has types for its main module only
    import('prom-client/lib/metrics/processOpenFileDescriptors.js'),
    // @ts-expect-error prom-client has types for its main module only
    import('prom-client/lib/metrics/processMaxFileDescriptors.js'),
    // @ts-expect-error prom-client has types for its main module only
    import('prom-client/lib/metrics/processResources.js'),
    // @ts-expect-error prom-client has types for its main module only
    import('prom-client/lib/metrics/heapSizeAndUsed.js'),
    // @ts-expect-error prom-client has types for its main module only
    import('prom-client/lib/metrics/heapSpacesSizeAndUsed.js'),
    // @ts-expect-error prom-client has types for its main module only
    import('prom-client/lib/metrics/version.js'),
  ]);
  return modules.map((loaded) => loaded.default);
}
