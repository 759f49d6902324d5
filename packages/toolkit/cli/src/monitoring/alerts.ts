/** An alert of Prometheus. In the expression `FILTER` is a place for the labels that select the operator's processes. */
export interface Alert {
  readonly name: string;
  readonly severity: 'critical' | 'warning';
  /** How long the expression must hold, as Prometheus writes durations. */
  readonly for: string;
  readonly expression: string;
  /** One sentence, which may name labels: `{{ $labels.controller }}`. */
  readonly summary: string;
  /** What to look at, and what to do. */
  readonly runbook: string;
}

/** The alerts of an operator: `critical` ones are worth waking a person, `warning` ones wait for the day. */
export const alerts: readonly Alert[] = [
  {
    name: 'OperatorWatchNotLive',
    severity: 'critical',
    for: '10m',
    expression:
      'sum by (group, version, resource) (keelson_watches_intended{FILTER}) - sum by (group, version, resource) (keelson_watches{FILTER,state="live"}) > 0',
    summary: 'The watch of {{ $labels.resource }} has not been live for ten minutes.',
    runbook:
      'Its changes are not seen. The state of the watch on the dashboard "Watches and cache" names the cause: `forbidden` is a missing permission, `backing-off` an API server that refuses or cannot be reached, `over-budget` a full memory budget, `syncing` a kind that is not served or a list that fails. The log of the operator has the error.',
  },
  {
    name: 'OperatorReconcilesFail',
    severity: 'warning',
    for: '15m',
    expression:
      'sum by (controller) (rate(controller_runtime_reconcile_errors_total{FILTER}[5m])) / sum by (controller) (rate(controller_runtime_reconcile_total{FILTER}[5m])) > 0.1',
    summary: 'More than a tenth of the reconciles of {{ $labels.controller }} fail.',
    runbook:
      'The log names the requests and the errors. If all fail with the same code, an API or a permission is missing; if a few fail again and again, look at their objects.',
  },
  {
    name: 'OperatorProgramFault',
    severity: 'warning',
    for: '0m',
    expression:
      'sum by (controller) (increase(controller_runtime_reconcile_panics_total{FILTER}[10m])) > 0',
    summary: 'A reconcile of {{ $labels.controller }} failed by a fault of its program.',
    runbook:
      'A TypeError, a failed assertion or an unhandled rejection. The log has the stack with the request. Retries do not help: the program has to be mended.',
  },
  {
    name: 'OperatorReconcileHangs',
    severity: 'critical',
    for: '5m',
    expression: 'max by (controller) (workqueue_longest_running_processor_seconds{FILTER}) > 600',
    summary: 'A reconcile of {{ $labels.controller }} has run for more than ten minutes.',
    runbook:
      'It holds a worker. The debug server shows the request and its age. Give the controller a `timeout`, and pass `context.signal` to what the reconcile awaits.',
  },
  {
    name: 'OperatorQueueGrows',
    severity: 'warning',
    for: '15m',
    expression:
      'sum by (controller) (workqueue_depth{FILTER}) > 100 and sum by (controller) (deriv(workqueue_depth{FILTER}[15m])) > 0',
    summary: 'The queue of {{ $labels.controller }} has grown for a quarter of an hour.',
    runbook:
      'Requests arrive faster than they are done. If the workers are all in use, raise `concurrency` or shorten the reconcile; if one controller causes its own events, the metric `keelson_delayed_events_total` rises too.',
  },
  {
    name: 'OperatorRequestsGivenUp',
    severity: 'warning',
    for: '0m',
    expression: 'sum by (controller) (increase(keelson_dead_letters_total{FILTER}[15m])) > 0',
    summary: '{{ $labels.controller }} has given up requests.',
    runbook:
      'They failed terminally, or as often as `maxAttempts` allows, and run again only after a change of the object. The log names them.',
  },
  {
    name: 'OperatorFieldManagersFight',
    severity: 'warning',
    for: '15m',
    expression:
      'sum by (controller, manager, other_manager) (increase(keelson_field_manager_fights_total{FILTER}[15m])) > 0',
    summary:
      '{{ $labels.manager }} and {{ $labels.other_manager }} overwrite each other in objects of {{ $labels.controller }}.',
    runbook:
      'Two writers want different values for the same fields. Let one of them leave the fields out of what it applies; `kubectl get --show-managed-fields` shows who owns what.',
  },
  {
    name: 'OperatorWithoutLeader',
    severity: 'critical',
    for: '2m',
    expression: 'sum by (name) (leader_election_master_status{FILTER}) == 0',
    summary: 'No replica holds the Lease {{ $labels.name }}.',
    runbook:
      'Nothing is reconciled. Look at the Lease: a holder that does not exist any more is replaced when the Lease expires; else the replicas cannot write it (permissions, API server).',
  },
  {
    name: 'OperatorSlotsWithoutReplica',
    severity: 'critical',
    for: '2m',
    expression: 'min(keelson_shard_slots_unowned{FILTER}) > 0',
    summary: 'Slots of the sharding have had no replica for two minutes.',
    runbook:
      'Their requests do not run. `keelson shards` prints the Leases with their claims: a replica that holds a claim and is gone is replaced when its Lease expires; else the replicas cannot write their Leases (permissions, API server).',
  },
  {
    name: 'OperatorMemoryBudgetNearlyFull',
    severity: 'warning',
    for: '15m',
    expression:
      'keelson_memory_budget_used_bytes{FILTER} / keelson_memory_budget_bytes{FILTER} > 0.9',
    summary: 'The memory budget {{ $labels.budget }} is nearly full.',
    runbook:
      'At the limit the least important watches stop. Raise the budget with the memory of the container, or watch less: a selector, namespaces, metadata only.',
  },
  {
    name: 'OperatorRelists',
    severity: 'warning',
    for: '30m',
    expression:
      'sum by (resource, cause) (increase(keelson_lists_total{FILTER,cause!="initial"}[30m])) > 10',
    summary:
      '{{ $labels.resource }} was listed again ten times within half an hour ({{ $labels.cause }}).',
    runbook:
      'Each list costs the API server as much as a start. A proxy that ends watches early, or an API server that is short of memory, are the usual causes.',
  },
  {
    name: 'OperatorEventLoopBlocked',
    severity: 'warning',
    for: '15m',
    expression:
      'sum by (controller, role) (rate(keelson_event_loop_blocked_seconds_sum{FILTER}[5m])) > 0.2',
    summary: 'Code of {{ $labels.controller }} ({{ $labels.role }}) blocks the event loop.',
    runbook:
      'Everything in the process waits meanwhile, also watches and probes. The log has a profile of what ran. Split the work, or move it to a worker thread.',
  },
  {
    name: 'OperatorWebhookFails',
    severity: 'critical',
    for: '5m',
    expression: 'sum by (webhook) (rate(keelson_webhook_errors_total{FILTER}[5m])) > 0',
    summary: 'The webhook {{ $labels.webhook }} fails.',
    runbook:
      'Writes of the kinds that it reviews are refused if its `failurePolicy` is `Fail`. The log has the error by its code.',
  },
  {
    name: 'OperatorCertificateExpires',
    severity: 'critical',
    for: '1h',
    expression:
      'min by (server) (keelson_certificate_expiration_timestamp_seconds{FILTER}) - time() < 86400',
    summary: 'The certificate of the server {{ $labels.server }} expires within a day.',
    runbook:
      'It should have been renewed long before. Look at the Secret or the files that the operator reads, and at `certwatcher_read_certificate_errors_total`.',
  },
];

/** Renders alerts as the rules of Prometheus, for the processes that the labels select. */
export function alertRules(labels: Readonly<Record<string, string>>): object[] {
  const filter = Object.entries(labels)
    .map(([label, value]) => `${label}=${JSON.stringify(value)}`)
    .join(',');
  return alerts.map(({ name, severity, for: duration, expression, summary, runbook }) => ({
    alert: name,
    expr: expression.replaceAll('FILTER', filter),
    for: duration,
    labels: { severity },
    annotations: { summary, description: runbook },
  }));
}
