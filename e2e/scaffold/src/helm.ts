import { mkdir } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { outputOf } from '@keelson/e2e-runtimes';

const VERSION = 'v3.19.0';

/**
 * Returns the path of Helm: that of the environment variable HELM, or one that Go builds from the module of Helm once for this
 * machine.
 */
export async function helmProgram(): Promise<string> {
  const given = process.env['HELM'];
  if (given !== undefined) return given;
  const folder = join(homedir(), '.cache', 'keelson', `helm-${VERSION}`);
  const program = join(folder, 'helm');
  if (existsSync(program)) return program;
  await mkdir(folder, { recursive: true });
  const env = { ...process.env, GOBIN: folder };
  await outputOf({ cwd: folder, env }, 'go', ['install', `helm.sh/helm/v3/cmd/helm@${VERSION}`]);
  return program;
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
