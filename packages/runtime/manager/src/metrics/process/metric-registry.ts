import type { Registry } from 'prom-client';
// @ts-expect-error prom-client has types for its main module only
import registry from 'prom-client/lib/registry.js';

/**
 * The class `Registry` of prom-client, without the rest of it: the main module loads OpenTelemetry, http and https,
 * which takes 40 ms. The class is the same object as that of the main module.
 */
export const MetricRegistry: typeof Registry = registry as typeof Registry;
