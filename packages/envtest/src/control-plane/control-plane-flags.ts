import { join } from 'node:path';
import type { ControlPlaneController } from '../environment/environment-options.ts';

/** Where the parts of a control plane listen and what they read. */
export interface ControlPlaneLayout {
  /** Everything the processes write is below this folder. */
  readonly folder: string;
  readonly etcdPort: number;
  readonly etcdPeerPort: number;
  readonly apiServerPort: number;
  readonly featureGates: Readonly<Record<string, boolean>>;
  /** Further flags of kube-apiserver. */
  readonly apiServerFlags: readonly string[];
}

/** Who issues the tokens of service accounts, and for whom they are. */
export const tokenIssuer = 'https://kubernetes.default.svc';

/** The files that the API server reads, below the layout's folder. */
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

/** Where etcd serves its clients. */
export function etcdUrl({ etcdPort }: Pick<ControlPlaneLayout, 'etcdPort'>): string {
  return `http://127.0.0.1:${etcdPort}`;
}

/** etcd for one test run: nothing it keeps has to survive, so it does not wait for the disk. */
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

/** kube-apiserver with client certificates and RBAC; no admission of service accounts, which no kubelet mounts. */
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
    // The last of several flags of a name counts.
    ...layout.apiServerFlags,
  ];
}

const controllerNames: Readonly<Record<ControlPlaneController, readonly string[]>> = {
  'cluster-role-aggregation': ['clusterrole-aggregation-controller'],
  'garbage-collector': ['garbage-collector-controller'],
  namespace: ['namespace-controller'],
  'resource-quota': ['resourcequota-controller'],
  'storage-protection': [
    'persistentvolumeclaim-protection-controller',
    'persistentvolume-protection-controller',
  ],
};

/** kube-controller-manager with some of its controllers and without a port of its own. */
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
