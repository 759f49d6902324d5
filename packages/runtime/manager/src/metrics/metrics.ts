import { kindMetrics } from './kind-metrics.ts';
import type { MetricDefinition } from './metric-definition.ts';

/** The metrics that do not belong to the watches of a kind. */
const commonMetrics = {
  reconciles: {
    type: 'counter',
    name: 'controller_runtime_reconcile_total',
    help: 'Reconciles by result.',
    labels: ['controller', 'result'],
  },
  reconcileErrors: {
    type: 'counter',
    name: 'controller_runtime_reconcile_errors_total',
    help: 'Reconciles that failed.',
    labels: ['controller'],
  },
  terminalErrors: {
    type: 'counter',
    name: 'controller_runtime_terminal_reconcile_errors_total',
    help: 'Reconciles that failed with a terminal error, which is not retried.',
    labels: ['controller'],
  },
  deadLetters: {
    type: 'counter',
    name: 'keelson_dead_letters_total',
    help: 'Requests that were given up, after maxAttempts or a terminal error.',
    labels: ['controller'],
  },
  queueFunctionErrors: {
    type: 'counter',
    name: 'keelson_queue_function_errors_total',
    help: 'Errors of groupOf, weightOf, rateLimiter, errorPolicy and onDeadLetter.',
    labels: ['controller'],
  },
  panics: {
    type: 'counter',
    name: 'controller_runtime_reconcile_panics_total',
    help: 'Reconciles that threw an error of the language, a failed assertion, or a value that is not an Error.',
    labels: ['controller'],
  },
  timeouts: {
    type: 'counter',
    name: 'controller_runtime_reconcile_timeouts_total',
    help: 'Reconciles that exceeded the timeout of their controller.',
    labels: ['controller'],
  },
  reconcileTime: {
    type: 'histogram',
    name: 'controller_runtime_reconcile_time_seconds',
    help: 'How long reconciles took.',
    labels: ['controller'],
    buckets: 'reconcile',
  },
  maxConcurrent: {
    type: 'gauge',
    name: 'controller_runtime_max_concurrent_reconciles',
    help: 'How many reconciles may run at the same time.',
    labels: ['controller'],
  },
  activeWorkers: {
    type: 'gauge',
    name: 'controller_runtime_active_workers',
    help: 'Reconciles that run.',
    labels: ['controller'],
  },
  queueDepth: {
    type: 'gauge',
    name: 'workqueue_depth',
    help: 'Ready requests by priority; priorities after the first 25 share the series "other".',
    labels: ['name', 'controller', 'priority'],
  },
  queueAdds: {
    type: 'counter',
    name: 'workqueue_adds_total',
    help: 'Requests that became ready.',
    labels: ['name', 'controller'],
  },
  queueRetries: {
    type: 'counter',
    name: 'workqueue_retries_total',
    help: 'Requests queued with a delay.',
    labels: ['name', 'controller'],
  },
  queueDuration: {
    type: 'histogram',
    name: 'workqueue_queue_duration_seconds',
    help: 'How long requests were ready before a worker took them.',
    labels: ['name', 'controller'],
    buckets: 'queue',
  },
  workDuration: {
    type: 'histogram',
    name: 'workqueue_work_duration_seconds',
    help: 'How long workers held requests.',
    labels: ['name', 'controller'],
    buckets: 'queue',
  },
  unfinishedWork: {
    type: 'gauge',
    name: 'workqueue_unfinished_work_seconds',
    help: 'How long workers have held the current requests, summed over the requests.',
    labels: ['name', 'controller'],
  },
  longestRunning: {
    type: 'gauge',
    name: 'workqueue_longest_running_processor_seconds',
    help: 'How long a worker has held its current request; the longest.',
    labels: ['name', 'controller'],
  },
  requests: {
    type: 'counter',
    name: 'rest_client_requests_total',
    help: 'Requests to the API server, each attempt counted.',
    labels: ['code', 'method', 'host'],
  },
  requestDuration: {
    type: 'histogram',
    name: 'rest_client_request_duration_seconds',
    help: 'Time until the API server began its responses; verb is the HTTP method.',
    labels: ['verb', 'host'],
    buckets: 'request',
  },
  requestRetries: {
    type: 'counter',
    name: 'rest_client_request_retries_total',
    help: 'Requests tried again, by the code of the attempt before; verb is the HTTP method.',
    labels: ['code', 'verb', 'host'],
  },
  apiWarnings: {
    type: 'counter',
    name: 'keelson_api_warnings_total',
    help: 'Warnings that the API server sent with its responses.',
    labels: [],
  },
  protobufRefusals: {
    type: 'counter',
    name: 'keelson_protobuf_refusals_total',
    help: 'Kinds that a client reads as JSON, because it could not read their protobuf.',
    labels: [],
  },
  pinnedBytes: {
    type: 'gauge',
    name: 'keelson_pinned_bytes',
    help: 'Bytes of objects that no store contains: of kept views, and of objects that await garbage collection.',
    labels: [],
  },
  budgetBytes: {
    type: 'gauge',
    name: 'keelson_memory_budget_bytes',
    help: 'Limits of the memory of cached objects.',
    labels: ['budget'],
  },
  budgetUsed: {
    type: 'gauge',
    name: 'keelson_memory_budget_used_bytes',
    help: 'Memory of the cached objects that a budget limits.',
    labels: ['budget'],
  },
  leaderStatus: {
    type: 'gauge',
    name: 'leader_election_master_status',
    help: '1 while this process holds the Lease of this name, else 0.',
    labels: ['name'],
  },
  leaderSlowPath: {
    type: 'counter',
    name: 'leader_election_slowpath_total',
    help: 'Renewals of the Lease that met a conflict and read it first.',
    labels: ['name'],
  },
  clusterLive: {
    type: 'gauge',
    name: 'keelson_cluster_live',
    help: '1 if every watch of the further cluster is live, else 0; 0 without a watch.',
    labels: ['cluster'],
  },
  shardSlotsOwned: {
    type: 'gauge',
    name: 'keelson_shard_slots_owned',
    help: 'Slots of the sharding of this name whose requests run in this process.',
    labels: ['name'],
  },
  shardSlotsWanted: {
    type: 'gauge',
    name: 'keelson_shard_slots_wanted',
    help: 'Slots that the ring assigns to this process.',
    labels: ['name'],
  },
  shardSlotsUnowned: {
    type: 'gauge',
    name: 'keelson_shard_slots_unowned',
    help: 'Slots that no replica of the sharding runs.',
    labels: ['name'],
  },
  shardSelectedByServer: {
    type: 'gauge',
    name: 'keelson_shard_selected_by_server',
    help: '1 if the API server sends this process only the objects of its slots, else 0.',
    labels: ['name'],
  },
  shardLabelsPending: {
    type: 'gauge',
    name: 'keelson_shard_labels_pending',
    help: 'Objects whose label of the sharding this process has to write.',
    labels: ['name'],
  },
  shardSlotsMoved: {
    type: 'counter',
    name: 'keelson_shard_slots_moved_total',
    help: 'Slots that moved to or from this process.',
    labels: ['name'],
  },
  shardHandover: {
    type: 'histogram',
    name: 'keelson_shard_handover_seconds',
    help: 'Time from the claim of a slot to its start.',
    labels: ['name'],
    buckets: 'handover',
  },
  certificateReads: {
    type: 'counter',
    name: 'certwatcher_read_certificate_total',
    help: 'Reads of the certificate files of the servers.',
    labels: [],
  },
  certificateErrors: {
    type: 'counter',
    name: 'certwatcher_read_certificate_errors_total',
    help: 'Reads of certificate files that were missing, invalid, or did not match.',
    labels: [],
  },
  certificateExpiry: {
    type: 'gauge',
    name: 'keelson_certificate_expiration_timestamp_seconds',
    help: 'When the certificate of a server expires, in seconds since 1970.',
    labels: ['server'],
  },
  webhookRequests: {
    type: 'counter',
    name: 'controller_runtime_webhook_requests_total',
    help: 'Requests for the path of a webhook, by the HTTP status of the response.',
    labels: ['webhook', 'code'],
  },
  webhookLatency: {
    type: 'histogram',
    name: 'controller_runtime_webhook_latency_seconds',
    help: 'How long the response to a request for a webhook took.',
    labels: ['webhook'],
    buckets: 'webhook',
  },
  webhooksInFlight: {
    type: 'gauge',
    name: 'controller_runtime_webhook_requests_in_flight',
    help: 'Requests for a webhook without a response.',
    labels: ['webhook'],
  },
  webhookPanics: {
    type: 'counter',
    name: 'controller_runtime_webhook_panics_total',
    help: 'Handlers that threw an error of the language, a failed assertion, or a value that is not an Error.',
    labels: [],
  },
  webhookErrors: {
    type: 'counter',
    name: 'keelson_webhook_errors_total',
    help: 'Handlers that threw, had an invalid result or took too long.',
    labels: ['webhook', 'code'],
  },
  handlerErrors: {
    type: 'counter',
    name: 'keelson_handler_errors_total',
    help: 'Predicates, mappers, sources and other functions of a controller that threw.',
    labels: ['controller'],
  },
  delayedEvents: {
    type: 'counter',
    name: 'keelson_delayed_events_total',
    help: 'Events beyond the eventRate of their objects, whose requests were delayed.',
    labels: ['controller'],
  },
  managerFights: {
    type: 'counter',
    name: 'keelson_field_manager_fights_total',
    help: 'Objects that two field managers overwrite by turns; pairs after the first 25 share the series "other".',
    labels: ['controller', 'manager', 'other_manager'],
  },
  historyBytes: {
    type: 'gauge',
    name: 'keelson_history_bytes',
    help: 'Memory of the latest events and runs that explain reads, estimated.',
    labels: ['controller'],
  },
  initialRequests: {
    type: 'gauge',
    name: 'keelson_initial_requests',
    help: "Initial requests that have not run and that readiness waits for. Only with readiness 'reconciled'.",
    labels: ['controller'],
  },
  trackedObjects: {
    type: 'gauge',
    name: 'keelson_tracked_objects',
    help: 'Objects whose changes run requests again, because a reconcile tracked them.',
    labels: ['controller'],
  },
  daemons: {
    type: 'gauge',
    name: 'keelson_daemons',
    help: 'Daemons of requests, whose tasks run or wait for their next start.',
    labels: ['controller'],
  },
  sourcePending: {
    type: 'gauge',
    name: 'keelson_source_pending_requests',
    help: 'Requests of async-iterable sources that wait for a worker.',
    labels: ['controller', 'source'],
  },
  handlerDuration: {
    type: 'histogram',
    name: 'keelson_handler_duration_seconds',
    help: 'How long it took to filter and map an event.',
    labels: ['controller'],
    buckets: 'handler',
  },
  collectorErrors: {
    type: 'counter',
    name: 'keelson_collector_errors_total',
    help: 'Metrics left out of a scrape because their collector threw or hung.',
    labels: [],
  },
  invalidResults: {
    type: 'counter',
    name: 'keelson_invalid_results_total',
    help: 'Invalid results of reconciles, which were treated as no result.',
    labels: ['controller'],
  },
  logErrors: {
    type: 'counter',
    name: 'keelson_log_errors_total',
    help: 'Lines that were not written because the logger threw.',
    labels: [],
  },
  requestsPurged: {
    type: 'counter',
    name: 'keelson_requests_purged_total',
    help: 'Queued requests dropped because only a removed watch had queued them.',
    labels: [],
  },
  lingerReuses: {
    type: 'counter',
    name: 'keelson_linger_reuses_total',
    help: 'Watches acquired again before their linger time expired.',
    labels: [],
  },
  eventLoopDelay: {
    type: 'summary',
    name: 'keelson_event_loop_delay_seconds',
    help: 'Delay of the event loop. The quantiles cover the last one to two minutes; quantile 1 is the longest delay.',
    labels: [],
  },
  eventLoopBlocked: {
    type: 'histogram',
    name: 'keelson_event_loop_blocked_seconds',
    help: 'How long user code blocked the event loop, for each time beyond the limit.',
    labels: ['controller', 'role'],
    buckets: 'blocking',
  },
  apiToReconcile: {
    type: 'histogram',
    name: 'keelson_api_to_reconcile_seconds',
    help: "Time from an event's arrival at the socket to the start of its reconcile.",
    labels: ['controller'],
    buckets: 'path',
  },
} as const;

/**
 * Every metric of a manager except for those of the process; no files but this one and `kind-metrics.ts` contain their
 * names. A metric with the meaning of one in controller-runtime or client-go has its name, labels and buckets. Other
 * names begin with `keelson_`.
 */
export const metrics: typeof commonMetrics & typeof kindMetrics = {
  ...commonMetrics,
  ...kindMetrics,
};

/** The key of a metric in `metrics`, which the code uses instead of its name. */
export type MetricKey = keyof typeof metrics;

/** The keys of the metrics of one type. */
export type KeyOfType<Type extends MetricDefinition['type']> = {
  [Key in MetricKey]: (typeof metrics)[Key] extends { type: Type } ? Key : never;
}[MetricKey];
