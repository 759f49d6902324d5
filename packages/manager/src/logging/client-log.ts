import type { ClientObserver } from '@keelson/client';
import { LRUCache } from 'lru-cache';
import { briefError } from './error-text.ts';
import type { Logger } from './logger.ts';

/** How many different warnings are remembered as logged. */
const REMEMBERED_WARNINGS = 1000;
/** Characters that are compared: warnings with the same beginning count as one. */
const COMPARED_LENGTH = 512;

/**
 * An observer that counts what a client reports in the metrics of the manager and writes it to its log.
 * A warning of the API server is logged once per text, because each request for a deprecated kind
 * brings it again.
 */
export function clientLog(metrics: ClientObserver, log: Logger): ClientObserver {
  const logged = new LRUCache<string, true>({ max: REMEMBERED_WARNINGS });
  let refreshFails = false;
  return {
    ...metrics,
    warning(warning) {
      metrics.warning?.(warning);
      const { method, path, text } = warning;
      const key = text.slice(0, COMPARED_LENGTH);
      if (logged.get(key) === true) return;
      logged.set(key, true);
      log.warn({ method, path, warning: text }, 'the API server sent a warning');
    },
    credentialsRefreshed(refresh) {
      metrics.credentialsRefreshed?.(refresh);
      refreshFails = false;
    },
    credentialsFailed(error) {
      metrics.credentialsFailed?.(error);
      // Logged once until a refresh succeeds: each request may try one.
      if (!refreshFails) log.warn({ err: briefError(error) }, 'credentials were not refreshed');
      refreshFails = true;
    },
  };
}
