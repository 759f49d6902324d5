import type { builtin, ObjectOf } from '@keelson/apimachinery';
import { place, placeList, placeText, spreadItems, spreadMembers } from '../values/placed.ts';
import type { OperatorParts } from './operator-parts.ts';
import { webhookVolume } from './webhook.ts';

type Deployment = ObjectOf<typeof builtin.Deployment>;
type DeploymentSpec = NonNullable<Deployment['spec']>;
type PodSpec = NonNullable<DeploymentSpec['template']['spec']>;
type Container = PodSpec['containers'][number];

type Probe = NonNullable<Container['livenessProbe']>;

/** Five seconds more than the default `gracePeriod` of a manager, in which the leader ends its work. */
const TERMINATION_GRACE_SECONDS = 30;

/** The highest standard of the Pod Security Standards, `restricted`, requires each of these. */
const containerSecurity: NonNullable<Container['securityContext']> = {
  allowPrivilegeEscalation: false,
  capabilities: { drop: ['ALL'] },
  readOnlyRootFilesystem: true,
};

/** The Deployment of the operator. */
export function deployment(parts: OperatorParts): Deployment {
  const metadata = parts.metadata();
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata,
    spec: {
      replicas: place(parts.settings.replicas),
      selector: { matchLabels: parts.selector },
      strategy: { type: 'RollingUpdate' },
      template: { metadata: podMetadata(parts, metadata.labels), spec: podSpec(parts) },
    },
  };
}

function podMetadata(
  { settings }: OperatorParts,
  labels: Record<string, string>,
): NonNullable<DeploymentSpec['template']['metadata']> {
  return {
    labels: { ...labels, ...spreadMembers(settings.podLabels) },
    annotations: place(settings.podAnnotations),
  };
}

function podSpec(parts: OperatorParts): PodSpec {
  const { operator, settings } = parts;
  const webhook = webhookVolume(operator);
  return {
    serviceAccountName: operator.name,
    imagePullSecrets: place(settings.pullSecrets),
    // The image names its user, and a cluster may assign another one.
    securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
    terminationGracePeriodSeconds: TERMINATION_GRACE_SECONDS,
    topologySpreadConstraints: place(settings.topologySpread),
    containers: [container(parts)],
    volumes: webhook ? [webhook.volume, ...spreadItems(settings.volumes)] : place(settings.volumes),
    nodeSelector: place(settings.nodeSelector),
    tolerations: place(settings.tolerations),
    affinity: place(settings.affinity),
    priorityClassName: place(settings.priorityClass),
  };
}

function container({ operator, settings }: OperatorParts): Container {
  const webhook = webhookVolume(operator);
  return {
    name: 'operator',
    image: placeText(settings.repository, ':', settings.tag),
    imagePullPolicy: place(settings.pullPolicy),
    ports: [
      { name: 'metrics', containerPort: operator.metricsPort, protocol: 'TCP' },
      { name: 'health', containerPort: operator.healthPort, protocol: 'TCP' },
      ...(webhook ? [{ name: 'webhook', containerPort: webhook.port, protocol: 'TCP' }] : []),
    ],
    livenessProbe: probe('/healthz', 15, 20),
    readinessProbe: probe('/readyz', 5, 10),
    env: [
      { name: 'WATCH_NAMESPACES', value: placeList(settings.watchNamespaces) },
      ...spreadItems(settings.env),
    ],
    envFrom: place(settings.envFrom),
    resources: place(settings.resources),
    securityContext: containerSecurity,
    volumeMounts: webhook
      ? [webhook.mount, ...spreadItems(settings.volumeMounts)]
      : place(settings.volumeMounts),
  };
}

function probe(path: string, initialDelaySeconds: number, periodSeconds: number): Probe {
  return { httpGet: { path, port: 'health' }, initialDelaySeconds, periodSeconds };
}
