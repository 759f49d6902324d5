import type { BenchCase } from './bench-case.ts';
import type { Scale } from './scale.ts';

/** A mutating webhook of a kube-apiserver, with so many writes at the same time, beside controller-runtime's server. */
export function webhookCases(scale: Scale): readonly BenchCase[] {
  return [webhookCase(scale, 1, scale.reviews / 4), webhookCase(scale, 64, scale.reviews)];
}

function webhookCase(scale: Scale, atOnce: number, count: number): BenchCase {
  const name = `webhook.${atOnce}`;
  const peer = [`-workers=${atOnce}`, `-count=${count}`, 'webhook'];
  return {
    name,
    server: { real: true, pods: 0 },
    sides: {
      keelson: { job: 'webhook', options: { atOnce, count } },
      controllerRuntime: { language: 'go', peer },
    },
    runs: scale.runs,
    rows: [
      { case: `${name}.p50`, metric: 'addedP50', unit: 'µs added to a write' },
      { case: `${name}.p99`, metric: 'addedP99', unit: 'µs added to a write' },
      { case: `${name}.reviews`, metric: 'reviewsPerSecond', unit: 'reviews/s' },
      { case: `${name}.cpu`, metric: 'cpuPerReview', unit: 'µs CPU per review' },
    ],
  };
}
