import type { ClientObserver } from '@keelson/client';
import { LRUCache } from 'lru-cache';
import { briefError } from '../logging/error-text.ts';
import type { Logger } from '../logging/logger.ts';

/** The number of distinct warnings that are remembered as logged. */
const REMEMBERED_WARNINGS = 1000;
/** Warnings that agree in this many first characters count as the same. */
const COMPARED_CHARACTERS = 512;

/**
 * An observer that writes the warnings, credential failures and refused protobuf of a client to the manager's metrics
 * and log. A warning of the API server is logged once per text, because the server repeats it with every response for a
 * deprecated kind.
 */
export function clientLog(metrics: ClientObserver, log: Logger): ClientObserver {
  const logged = new LRUCache<string, true>({ max: REMEMBERED_WARNINGS });
  let refreshFails = false;
  return {
    ...metrics,
    warning(warning) {
      metrics.warning?.(warning);
      const { method, path, text } = warning;
      const key = text.slice(0, COMPARED_CHARACTERS);
      if (logged.get(key) === true) return;
      logged.set(key, true);
      log.warn({ method, path, warning: text }, 'the API server sent a warning');
    },
    protobufRefused(refusal) {
      metrics.protobufRefused?.(refusal);
      const { apiVersion, kind, error } = refusal;
      log.warn({ apiVersion, kind, err: briefError(error) }, 'the kind is read as JSON');
    },
    credentialsRefreshed(refresh) {
      metrics.credentialsRefreshed?.(refresh);
      refreshFails = false;
    },
    credentialsFailed(error) {
      metrics.credentialsFailed?.(error);
      // Logged once until a refresh succeeds, because every request may try to refresh.
      if (!refreshFails) log.warn({ err: briefError(error) }, 'credentials were not refreshed');
      refreshFails = true;
    },
  };
}
