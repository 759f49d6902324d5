import type { Dashboard } from './dashboard.ts';

/** A kind of a project with the controller that reconciles its objects. */
export interface DashboardKind {
  readonly kind: string;
  readonly group: string;
  readonly plural: string;
  /** The name of the controller, which its metrics have as a label. */
  readonly controller: string;
}

/** Describes the dashboard of one kind: its objects, its watch, and the reconciles of its controller. */
export function kindDashboard({ kind, group, plural, controller }: DashboardKind): Dashboard {
  const own = `FILTER,controller="${controller}"`;
  const watch = `FILTER,group="${group}",resource="${plural}"`;
  const rate = '[$__rate_interval]';
  return {
    name: plural,
    title: kind,
    rows: [
      {
        title: 'Objects',
        panels: [
          {
            title: 'Objects in the cache',
            queries: [[`max by (version) (keelson_store_objects{${watch}})`, '{{version}}']],
          },
          {
            title: 'Changes per second',
            unit: 'ops',
            queries: [
              [
                `sum by (type) (rate(keelson_events_total{${watch}}[$__rate_interval]))`,
                '{{type}}',
              ],
            ],
          },
          {
            title: 'Watches, by state',
            help: 'A watch that is not live for long misses changes: the log has its error.',
            queries: [[`sum by (state) (keelson_watches{${watch}})`, '{{state}}']],
          },
        ],
      },
      {
        title: 'Reconciles',
        panels: [
          {
            title: 'Reconciles per second, by result',
            unit: 'ops',
            queries: [
              [
                `sum by (result) (rate(controller_runtime_reconcile_total{${own}}[$__rate_interval]))`,
                '{{result}}',
              ],
            ],
          },
          {
            title: 'Failed reconciles per second',
            unit: 'ops',
            queries: [
              [`sum(rate(controller_runtime_reconcile_errors_total{${own}}${rate}))`, 'errors'],
              [
                `sum(rate(controller_runtime_terminal_reconcile_errors_total{${own}}${rate}))`,
                'terminal',
              ],
              [
                `sum(rate(controller_runtime_reconcile_panics_total{${own}}${rate}))`,
                'faults of the program',
              ],
            ],
          },
          {
            title: 'Duration of a reconcile',
            unit: 's',
            queries: [
              [
                `histogram_quantile(0.5, sum by (le) (rate(controller_runtime_reconcile_time_seconds_bucket{${own}}${rate})))`,
                'p50',
              ],
              [
                `histogram_quantile(0.99, sum by (le) (rate(controller_runtime_reconcile_time_seconds_bucket{${own}}${rate})))`,
                'p99',
              ],
            ],
          },
          {
            title: 'Ready requests',
            queries: [[`sum(workqueue_depth{${own}})`, 'ready']],
          },
          {
            title: 'From an event to its reconcile',
            unit: 's',
            queries: [
              [
                `histogram_quantile(0.5, sum by (le) (rate(keelson_api_to_reconcile_seconds_bucket{${own}}${rate})))`,
                'p50',
              ],
              [
                `histogram_quantile(0.99, sum by (le) (rate(keelson_api_to_reconcile_seconds_bucket{${own}}${rate})))`,
                'p99',
              ],
            ],
          },
          {
            title: 'Longest current reconcile',
            help: 'A reconcile that hangs makes it grow by one second each second.',
            unit: 's',
            queries: [[`max(workqueue_longest_running_processor_seconds{${own}})`, 'longest']],
          },
        ],
      },
    ],
  };
}
