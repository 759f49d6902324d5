import type { builtin, KubernetesObject, ObjectOf } from '@keelson/apimachinery';
import type { OperatorParts } from './operator-parts.ts';

/** An object of Prometheus Operator, whose type no package of Kubernetes has. */
interface ServiceMonitor extends KubernetesObject {
  readonly spec: object;
}

/** The Service through which a scraper reaches the metrics, with the port number of the operator. */
export function metricsService(parts: OperatorParts): ObjectOf<typeof builtin.Service> {
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: parts.metadata('-metrics', 'metrics'),
    spec: {
      selector: parts.selector,
      ports: [
        { name: 'https', port: parts.operator.metricsPort, targetPort: 'metrics', protocol: 'TCP' },
      ],
    },
  };
}

/** Lets Prometheus Operator scrape the metrics. */
export function serviceMonitor(parts: OperatorParts): ServiceMonitor {
  const metadata = parts.metadata('-metrics', 'metrics');
  const { selector } = parts;
  return {
    apiVersion: 'monitoring.coreos.com/v1',
    kind: 'ServiceMonitor',
    metadata,
    spec: {
      selector: { matchLabels: { ...selector, 'app.kubernetes.io/component': 'metrics' } },
      endpoints: [
        {
          port: 'https',
          scheme: 'https',
          bearerTokenFile: '/var/run/secrets/kubernetes.io/serviceaccount/token',
          // The manager makes its certificate at each start; the token is what authenticates the scraper.
          tlsConfig: { insecureSkipVerify: true },
        },
      ],
    },
  };
}
