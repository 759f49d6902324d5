import type { Operator } from '../operator/operator.ts';

/** The text that Helm prints after an installation. */
export function notes({ name, metricsPort }: Operator): string {
  return `${name} runs in the namespace {{ .Release.Namespace }}:

  kubectl get pods -n {{ .Release.Namespace }} -l app.kubernetes.io/name=${name}

A scraper of its metrics (https, port ${metricsPort} of the Service ${name}-metrics) needs the ClusterRole ${name}-metrics-reader:

  kubectl create clusterrolebinding ${name}-metrics-reader --clusterrole=${name}-metrics-reader --serviceaccount=monitoring:prometheus

Helm installs the CustomResourceDefinitions of a chart once. Before an upgrade, update them:

  kubectl apply --server-side -f CHART/crds
`;
}
