import type { builtin, KubernetesObject, ObjectOf } from '@keelson/apimachinery';
import { alertRules } from '../../monitoring/alerts.ts';
import { grafanaJson } from '../../monitoring/dashboard.ts';
import { dashboards } from '../../monitoring/dashboards.ts';
import type { ProjectDashboard } from '../operator/project-dashboards.ts';
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

/**
 * A ConfigMap per dashboard, those of every operator and those of the project, with the label by which Grafana's sidecar finds
 * it.
 */
export function dashboardMaps(
  parts: OperatorParts,
  own: readonly ProjectDashboard[],
): ObjectOf<typeof builtin.ConfigMap>[] {
  const shared = dashboards.map((dashboard) => {
    const text = JSON.stringify(grafanaJson(dashboard, parts.operator.name), undefined, 2);
    return { name: dashboard.name, text: `${text}\n` };
  });
  return [...shared, ...own].map(({ name, text }) => {
    const metadata = parts.metadata(`-dashboard-${name}`, 'metrics');
    return {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { ...metadata, labels: { ...metadata.labels, grafana_dashboard: '1' } },
      data: { [`${parts.operator.name}-${name}.json`]: text },
    };
  });
}
