import type { Dashboard } from './dashboard.ts';

/** The dashboards of an operator, by what a reader wants to know. */
export const dashboards: readonly Dashboard[] = [
  {
    name: 'controllers',
    title: 'Controllers',
    rows: [
      {
        title: 'Reconciles',
        panels: [
          {
            title: 'Reconciles per second, by result',
            unit: 'ops',
            queries: [
              [
                'sum by (controller, result) (rate(controller_runtime_reconcile_total{FILTER}[$__rate_interval]))',
                '{{controller}} {{result}}',
              ],
            ],
          },
          {
            title: 'Failed reconciles per second',
            unit: 'ops',
            queries: [
              [
                'sum by (controller) (rate(controller_runtime_reconcile_errors_total{FILTER}[$__rate_interval]))',
                '{{controller}} errors',
              ],
              [
                'sum by (controller) (rate(controller_runtime_terminal_reconcile_errors_total{FILTER}[$__rate_interval]))',
                '{{controller}} terminal',
              ],
              [
                'sum by (controller) (rate(controller_runtime_reconcile_panics_total{FILTER}[$__rate_interval]))',
                '{{controller}} faults of the program',
              ],
              [
                'sum by (controller) (rate(controller_runtime_reconcile_timeouts_total{FILTER}[$__rate_interval]))',
                '{{controller}} timeouts',
              ],
              [
                'sum by (controller) (rate(keelson_dead_letters_total{FILTER}[$__rate_interval]))',
                '{{controller}} given up',
              ],
            ],
          },
          {
            title: 'Duration of a reconcile',
            unit: 's',
            queries: [
              [
                'histogram_quantile(0.5, sum by (controller, le) (rate(controller_runtime_reconcile_time_seconds_bucket{FILTER}[$__rate_interval])))',
                '{{controller}} p50',
              ],
              [
                'histogram_quantile(0.99, sum by (controller, le) (rate(controller_runtime_reconcile_time_seconds_bucket{FILTER}[$__rate_interval])))',
                '{{controller}} p99',
              ],
            ],
          },
          {
            title: 'Workers in use',
            help: 'At 1 no worker is free, and requests wait: raise `concurrency` or shorten the reconcile.',
            unit: 'percentunit',
            queries: [
              [
                'sum by (controller) (controller_runtime_active_workers{FILTER}) / sum by (controller) (controller_runtime_max_concurrent_reconciles{FILTER})',
                '{{controller}}',
              ],
            ],
          },
          {
            title: 'From an event to its reconcile',
            unit: 's',
            queries: [
              [
                'histogram_quantile(0.5, sum by (controller, le) (rate(keelson_api_to_reconcile_seconds_bucket{FILTER}[$__rate_interval])))',
                '{{controller}} p50',
              ],
              [
                'histogram_quantile(0.99, sum by (controller, le) (rate(keelson_api_to_reconcile_seconds_bucket{FILTER}[$__rate_interval])))',
                '{{controller}} p99',
              ],
            ],
          },
          {
            title: 'Initial requests that have not run',
            queries: [['sum by (controller) (keelson_initial_requests{FILTER})', '{{controller}}']],
          },
        ],
      },
      {
        title: 'Queues',
        panels: [
          {
            title: 'Ready requests, by priority',
            queries: [
              [
                'sum by (controller, priority) (workqueue_depth{FILTER})',
                '{{controller}} {{priority}}',
              ],
            ],
          },
          {
            title: 'Added and retried requests per second',
            unit: 'ops',
            queries: [
              [
                'sum by (controller) (rate(workqueue_adds_total{FILTER}[$__rate_interval]))',
                '{{controller}} added',
              ],
              [
                'sum by (controller) (rate(workqueue_retries_total{FILTER}[$__rate_interval]))',
                '{{controller}} retried',
              ],
            ],
          },
          {
            title: 'Time in the queue and in work, p99',
            unit: 's',
            queries: [
              [
                'histogram_quantile(0.99, sum by (controller, le) (rate(workqueue_queue_duration_seconds_bucket{FILTER}[$__rate_interval])))',
                '{{controller}} in the queue',
              ],
              [
                'histogram_quantile(0.99, sum by (controller, le) (rate(workqueue_work_duration_seconds_bucket{FILTER}[$__rate_interval])))',
                '{{controller}} in work',
              ],
            ],
          },
          {
            title: 'Current work',
            help: 'A reconcile that hangs makes both grow by one second each second.',
            unit: 's',
            queries: [
              [
                'max by (controller) (workqueue_longest_running_processor_seconds{FILTER})',
                '{{controller}} longest',
              ],
              [
                'sum by (controller) (workqueue_unfinished_work_seconds{FILTER})',
                '{{controller}} together',
              ],
            ],
          },
          {
            title: 'Pending requests of iterable sources',
            queries: [
              [
                'sum by (controller, source) (keelson_source_pending_requests{FILTER})',
                '{{controller}} {{source}}',
              ],
            ],
          },
          {
            title: 'Delayed events and fights per second',
            help: 'Two writers that overwrite each other make both rise.',
            unit: 'ops',
            queries: [
              [
                'sum by (controller) (rate(keelson_delayed_events_total{FILTER}[$__rate_interval]))',
                '{{controller}} delayed',
              ],
              [
                'sum by (controller, manager, other_manager) (rate(keelson_field_manager_fights_total{FILTER}[$__rate_interval]))',
                '{{controller}}: {{manager}} and {{other_manager}}',
              ],
            ],
          },
        ],
      },
      {
        title: 'Handlers',
        panels: [
          {
            title: 'Errors of predicates, mappers and sources per second',
            unit: 'ops',
            queries: [
              [
                'sum by (controller) (rate(keelson_handler_errors_total{FILTER}[$__rate_interval]))',
                '{{controller}}',
              ],
            ],
          },
          {
            title: 'Filtering and mapping an event, p99',
            unit: 's',
            queries: [
              [
                'histogram_quantile(0.99, sum by (controller, le) (rate(keelson_handler_duration_seconds_bucket{FILTER}[$__rate_interval])))',
                '{{controller}}',
              ],
            ],
          },
        ],
      },
    ],
  },
  {
    name: 'watches',
    title: 'Watches and cache',
    rows: [
      {
        title: 'Watches',
        panels: [
          {
            title: 'Watches by state',
            queries: [['sum by (state) (keelson_watches{FILTER})', '{{state}}']],
          },
          {
            title: 'Watches that should be live and are not',
            queries: [
              [
                'sum by (group, version, resource) (keelson_watches_intended{FILTER}) - sum by (group, version, resource) (keelson_watches{FILTER,state="live"}) > 0',
                '{{group}}/{{version}} {{resource}}',
              ],
            ],
          },
          {
            title: 'Further clusters whose watches are not all live',
            queries: [['keelson_cluster_live{FILTER} == 0', '{{cluster}}']],
          },
          {
            title: 'Age of the last bytes',
            unit: 's',
            queries: [
              ['max by (resource) (keelson_watch_last_event_age_seconds{FILTER})', '{{resource}}'],
            ],
          },
          {
            title: 'Events per second',
            unit: 'ops',
            queries: [
              [
                'sum by (resource, type) (rate(keelson_events_total{FILTER}[$__rate_interval]))',
                '{{resource}} {{type}}',
              ],
            ],
          },
          {
            title: 'Lists per minute, by cause',
            help: 'After the start only `expired` is expected, and seldom.',
            queries: [
              [
                '60 * sum by (resource, cause) (rate(keelson_lists_total{FILTER}[$__rate_interval]))',
                '{{resource}} {{cause}}',
              ],
            ],
          },
          {
            title: 'Reconnects per minute, by cause',
            queries: [
              [
                '60 * sum by (resource, cause) (rate(keelson_watch_restarts_total{FILTER}[$__rate_interval]))',
                '{{resource}} {{cause}}',
              ],
            ],
          },
        ],
      },
      {
        title: 'Cache',
        panels: [
          {
            title: 'Objects',
            queries: [['sum by (resource) (keelson_store_objects{FILTER})', '{{resource}}']],
          },
          {
            title: 'Bytes',
            unit: 'bytes',
            queries: [
              ['sum by (resource) (keelson_store_bytes{FILTER})', '{{resource}}'],
              ['sum(keelson_pinned_bytes{FILTER})', 'kept by views'],
            ],
          },
          {
            title: 'Memory budget in use',
            unit: 'percentunit',
            queries: [
              [
                'max by (budget) (keelson_memory_budget_used_bytes{FILTER} / keelson_memory_budget_bytes{FILTER})',
                '{{budget}}',
              ],
            ],
          },
          {
            title: 'Tracked objects and daemons of requests',
            queries: [
              ['sum by (controller) (keelson_tracked_objects{FILTER})', '{{controller}} tracked'],
              ['sum by (controller) (keelson_daemons{FILTER})', '{{controller}} daemons'],
            ],
          },
          {
            title: 'Own writes that a watch has not confirmed',
            queries: [['sum by (resource) (keelson_own_writes{FILTER})', '{{resource}}']],
          },
          {
            title: 'Lag of own writes, p99',
            unit: 's',
            queries: [
              [
                'histogram_quantile(0.99, sum by (resource, le) (rate(keelson_own_write_lag_seconds_bucket{FILTER}[$__rate_interval])))',
                '{{resource}}',
              ],
            ],
          },
        ],
      },
    ],
  },
  {
    name: 'api-requests',
    title: 'API requests',
    rows: [
      {
        title: 'Requests to the API server',
        panels: [
          {
            title: 'Requests per second, by code',
            unit: 'ops',
            queries: [
              [
                'sum by (method, code) (rate(rest_client_requests_total{FILTER}[$__rate_interval]))',
                '{{method}} {{code}}',
              ],
            ],
          },
          {
            title: 'Time to the response',
            unit: 's',
            queries: [
              [
                'histogram_quantile(0.5, sum by (verb, le) (rate(rest_client_request_duration_seconds_bucket{FILTER}[$__rate_interval])))',
                '{{verb}} p50',
              ],
              [
                'histogram_quantile(0.99, sum by (verb, le) (rate(rest_client_request_duration_seconds_bucket{FILTER}[$__rate_interval])))',
                '{{verb}} p99',
              ],
            ],
          },
          {
            title: 'Retries per second',
            unit: 'ops',
            queries: [
              [
                'sum by (verb, code) (rate(rest_client_request_retries_total{FILTER}[$__rate_interval]))',
                '{{verb}} after {{code}}',
              ],
            ],
          },
          {
            title: 'Warnings of the API server per minute',
            queries: [
              ['60 * sum(rate(keelson_api_warnings_total{FILTER}[$__rate_interval]))', 'warnings'],
            ],
          },
        ],
      },
    ],
  },
  {
    name: 'process',
    title: 'Process',
    rows: [
      {
        title: 'Process',
        panels: [
          {
            title: 'Processor',
            unit: 'percentunit',
            queries: [
              [
                'sum by (pod) (rate(process_cpu_seconds_total{FILTER}[$__rate_interval]))',
                '{{pod}}',
              ],
            ],
          },
          {
            title: 'Memory',
            unit: 'bytes',
            queries: [
              ['sum by (pod) (process_resident_memory_bytes{FILTER})', '{{pod}} resident'],
              ['sum by (pod) (nodejs_heap_size_used_bytes{FILTER})', '{{pod}} heap'],
            ],
          },
          {
            title: 'Delay of the event loop',
            unit: 's',
            queries: [
              [
                'max by (pod, quantile) (keelson_event_loop_delay_seconds{FILTER})',
                '{{pod}} {{quantile}}',
              ],
            ],
          },
          {
            title: 'Blocked event loop, seconds per second',
            unit: 's',
            queries: [
              [
                'sum by (controller, role) (rate(keelson_event_loop_blocked_seconds_sum{FILTER}[$__rate_interval]))',
                '{{controller}} {{role}}',
              ],
            ],
          },
          {
            title: 'Leaders',
            help: 'One per Lease.',
            queries: [
              ['sum by (name, pod) (leader_election_master_status{FILTER})', '{{name}} {{pod}}'],
            ],
          },
          {
            title: 'Certificates expire in',
            unit: 's',
            queries: [
              [
                'min by (pod, server) (keelson_certificate_expiration_timestamp_seconds{FILTER}) - time()',
                '{{pod}} {{server}}',
              ],
            ],
          },
        ],
      },
    ],
  },
  {
    name: 'webhooks',
    title: 'Webhooks',
    rows: [
      {
        title: 'Reviews',
        panels: [
          {
            title: 'Requests per second, by code',
            unit: 'ops',
            queries: [
              [
                'sum by (webhook, code) (rate(controller_runtime_webhook_requests_total{FILTER}[$__rate_interval]))',
                '{{webhook}} {{code}}',
              ],
            ],
          },
          {
            title: 'Latency',
            unit: 's',
            queries: [
              [
                'histogram_quantile(0.5, sum by (webhook, le) (rate(controller_runtime_webhook_latency_seconds_bucket{FILTER}[$__rate_interval])))',
                '{{webhook}} p50',
              ],
              [
                'histogram_quantile(0.99, sum by (webhook, le) (rate(controller_runtime_webhook_latency_seconds_bucket{FILTER}[$__rate_interval])))',
                '{{webhook}} p99',
              ],
            ],
          },
          {
            title: 'In flight',
            queries: [
              [
                'sum by (webhook) (controller_runtime_webhook_requests_in_flight{FILTER})',
                '{{webhook}}',
              ],
            ],
          },
          {
            title: 'Errors of handlers per second',
            unit: 'ops',
            queries: [
              [
                'sum by (webhook, code) (rate(keelson_webhook_errors_total{FILTER}[$__rate_interval]))',
                '{{webhook}} {{code}}',
              ],
              [
                'sum(rate(controller_runtime_webhook_panics_total{FILTER}[$__rate_interval]))',
                'faults of the program',
              ],
            ],
          },
        ],
      },
    ],
  },
  {
    name: 'shards',
    title: 'Shards',
    rows: [
      {
        title: 'Slots',
        panels: [
          {
            title: 'Slots that a replica runs',
            unit: 'short',
            queries: [['sum by (pod) (keelson_shard_slots_owned{FILTER})', '{{pod}}']],
          },
          {
            title: 'Slots that a replica should run and does not yet',
            queries: [
              [
                'sum by (pod) (keelson_shard_slots_wanted{FILTER} - keelson_shard_slots_owned{FILTER})',
                '{{pod}}',
              ],
            ],
          },
          {
            title: 'Slots without a replica',
            help: 'Above 0 for longer than a Lease, their requests do not run.',
            queries: [['max(keelson_shard_slots_unowned{FILTER})', 'unowned']],
          },
          {
            title: 'Replicas that receive only their objects',
            help: 'Of the mode `server`: 0 if the API server ignores its selector.',
            queries: [['sum(keelson_shard_selected_by_server{FILTER})', 'replicas']],
          },
          {
            title: 'Objects without their label',
            help: 'Of the mode `label`: they run once a replica has written it.',
            queries: [['sum by (pod) (keelson_shard_labels_pending{FILTER})', '{{pod}}']],
          },
          {
            title: 'Moved slots per minute',
            queries: [
              [
                '60 * sum by (pod) (rate(keelson_shard_slots_moved_total{FILTER}[$__rate_interval]))',
                '{{pod}}',
              ],
            ],
          },
          {
            title: 'Duration of a hand-over, p99',
            unit: 's',
            queries: [
              [
                'histogram_quantile(0.99, sum by (le) (rate(keelson_shard_handover_seconds_bucket{FILTER}[$__rate_interval])))',
                'p99',
              ],
            ],
          },
        ],
      },
    ],
  },
];
