import { join } from 'node:path';
import type { ControlPlaneController } from '../environment/environment-options.ts';

/** The ports of a control plane and the folder of its files. */
export interface ControlPlaneLayout {
  /** All files that the processes write are below this folder. */
  readonly folder: string;
  readonly etcdPort: number;
  readonly etcdPeerPort: number;
  readonly apiServerPort: number;
  readonly featureGates: Readonly<Record<string, boolean>>;
  /** Additional flags of kube-apiserver. */
  readonly apiServerFlags: readonly string[];
}

/** The issuer and the audience of service account tokens. */
export const tokenIssuer = 'https://kubernetes.default.svc';

/** Returns the paths of the files that the API server reads. */
export function filesOf({
  folder,
}: Pick<ControlPlaneLayout, 'folder'>): Record<
  'ca' | 'cert' | 'key' | 'serviceAccountKey' | 'adminKubeconfig',
  string
> {
  return {
    ca: join(folder, 'ca.crt'),
    cert: join(folder, 'apiserver.crt'),
    key: join(folder, 'apiserver.key'),
    serviceAccountKey: join(folder, 'service-account.key'),
    adminKubeconfig: join(folder, 'admin.kubeconfig'),
  };
}

/** Returns the URL at which etcd serves clients. */
export function etcdUrl({ etcdPort }: Pick<ControlPlaneLayout, 'etcdPort'>): string {
  return `http://127.0.0.1:${etcdPort}`;
}

/** Returns the flags of etcd. `--unsafe-no-fsync` is safe: the data does not outlive the test run. */
export function etcdFlags({ folder, etcdPort, etcdPeerPort }: ControlPlaneLayout): string[] {
  const client = etcdUrl({ etcdPort });
  const peer = `http://127.0.0.1:${etcdPeerPort}`;
  return [
    `--data-dir=${join(folder, 'etcd')}`,
    `--listen-client-urls=${client}`,
    `--advertise-client-urls=${client}`,
    `--listen-peer-urls=${peer}`,
    `--initial-advertise-peer-urls=${peer}`,
    `--initial-cluster=default=${peer}`,
    '--unsafe-no-fsync',
  ];
}

/**
 * Returns the flags of kube-apiserver. The admission plugin `ServiceAccount` is off, because no kubelet mounts
 * tokens.
 */
export function apiServerFlags(layout: ControlPlaneLayout): string[] {
  const files = filesOf(layout);
  const gates = Object.entries(layout.featureGates).map(([name, on]) => `${name}=${on}`);
  return [
    `--etcd-servers=${etcdUrl(layout)}`,
    '--bind-address=127.0.0.1',
    `--secure-port=${layout.apiServerPort}`,
    `--cert-dir=${layout.folder}`,
    `--tls-cert-file=${files.cert}`,
    `--tls-private-key-file=${files.key}`,
    `--client-ca-file=${files.ca}`,
    '--authorization-mode=RBAC',
    `--service-account-issuer=${tokenIssuer}`,
    `--service-account-key-file=${files.serviceAccountKey}`,
    `--service-account-signing-key-file=${files.serviceAccountKey}`,
    '--service-cluster-ip-range=10.0.0.0/24',
    '--disable-admission-plugins=ServiceAccount',
    '--allow-privileged=true',
    ...(gates.length > 0 ? [`--feature-gates=${gates.join(',')}`] : []),
    // If a flag is given twice, kube-apiserver uses the last one.
    ...layout.apiServerFlags,
  ];
}

const controllerNames: Readonly<Record<ControlPlaneController, readonly string[]>> = {
  'cluster-role-aggregation': ['clusterrole-aggregation-controller'],
  'garbage-collector': ['garbage-collector-controller'],
  namespace: ['namespace-controller'],
  'policy-status': ['validatingadmissionpolicy-status-controller'],
  'resource-quota': ['resourcequota-controller'],
  'storage-protection': [
    'persistentvolumeclaim-protection-controller',
    'persistentvolume-protection-controller',
  ],
};

/** Returns the flags of kube-controller-manager, which runs only the named controllers and opens no port. */
export function controllerManagerFlags(
  layout: ControlPlaneLayout,
  controllers: readonly ControlPlaneController[],
): string[] {
  return [
    `--kubeconfig=${filesOf(layout).adminKubeconfig}`,
    `--controllers=${controllers.flatMap((name) => controllerNames[name]).join(',')}`,
    '--leader-elect=false',
    '--secure-port=0',
  ];
}
