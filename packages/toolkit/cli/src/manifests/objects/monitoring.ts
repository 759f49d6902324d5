import type { builtin, KubernetesObject, ObjectOf } from '@keelson/apimachinery';
import { alertRules } from '../../monitoring/alerts.ts';
import { grafanaJson } from '../../monitoring/dashboard.ts';
import { dashboards } from '../../monitoring/dashboards.ts';
import type { OperatorParts } from './operator-parts.ts';

/** An object of Prometheus Operator, whose type no package of Kubernetes has. */
interface PrometheusRule extends KubernetesObject {
  readonly spec: object;
}

/** The alerts of the operator, for Prometheus Operator. The label `job` is the name of the Service that is scraped. */
export function prometheusRule(parts: OperatorParts): PrometheusRule {
  const metadata = parts.metadata('-alerts', 'metrics');
  const rules = alertRules({ job: `${parts.operator.name}-metrics` });
  return {
    apiVersion: 'monitoring.coreos.com/v1',
    kind: 'PrometheusRule',
    metadata,
    spec: { groups: [{ name: parts.operator.name, rules }] },
  };
}

/** A ConfigMap per dashboard, with the label by which Grafana's sidecar finds it. */
export function dashboardMaps(parts: OperatorParts): ObjectOf<typeof builtin.ConfigMap>[] {
  return dashboards.map((dashboard) => {
    const metadata = parts.metadata(`-dashboard-${dashboard.name}`, 'metrics');
    const text = JSON.stringify(grafanaJson(dashboard, parts.operator.name), undefined, 2);
    return {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { ...metadata, labels: { ...metadata.labels, grafana_dashboard: '1' } },
      data: { [`${parts.operator.name}-${dashboard.name}.json`]: `${text}\n` },
    };
  });
}
