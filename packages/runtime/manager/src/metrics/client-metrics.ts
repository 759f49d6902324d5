import type { ClientObserver } from '@keelson/client';
import type { SeriesScope } from './series-scope.ts';

/** Measures the requests of a client in the series of a scope. */
export function clientMetrics(scope: SeriesScope): ClientObserver {
  return {
    requestEnded({ method, host }, { code, duration }) {
      scope.counter('requests', { code: String(code), method, host }).inc();
      scope.histogram('requestDuration', { verb: method, host }).observe(duration / 1000);
    },
    warning() {
      scope.counter('apiWarnings').inc();
    },
    protobufRefused() {
      scope.counter('protobufRefusals').inc();
    },
    requestRetried({ method, host }, { code }) {
      scope.counter('requestRetries', { code: String(code), verb: method, host }).inc();
    },
  };
}
