import { goProgram } from '@keelson/e2e-control-plane';

/** Returns the path of Helm. */
export function helmProgram(): Promise<string> {
  return goProgram({ name: 'helm', path: 'helm.sh/helm/v3/cmd/helm', version: 'v3.19.0' });
}

/** A value for each setting of a chart. */
export const everyValue = {
  image: { repository: 'registry.example/operator', tag: '2', pullPolicy: 'Always' },
  imagePullSecrets: [{ name: 'registry' }],
  replicas: 3,
  watchNamespaces: ['shop', 'warehouse'],
  env: [{ name: 'STORE_URL', value: 'https://store.example' }],
  envFrom: [{ secretRef: { name: 'store' } }],
  resources: { requests: { cpu: 1 }, limits: { memory: '1Gi' } },
  serviceAccount: { annotations: { 'example.com/role': 'operator' } },
  podAnnotations: { 'example.com/scrape': 'no' },
  podLabels: { team: 'web' },
  volumes: [{ name: 'cache', emptyDir: {} }],
  volumeMounts: [{ name: 'cache', mountPath: '/cache' }],
  nodeSelector: { 'kubernetes.io/arch': 'arm64' },
  tolerations: [{ key: 'spot', operator: 'Exists' }],
  affinity: { nodeAffinity: {} },
  topologySpreadConstraints: [
    { maxSkew: 1, topologyKey: 'zone', whenUnsatisfiable: 'DoNotSchedule' },
  ],
  priorityClassName: 'high',
  podDisruptionBudget: { enabled: true },
  networkPolicy: { enabled: true },
  metrics: { serviceMonitor: { enabled: true } },
} as const;
