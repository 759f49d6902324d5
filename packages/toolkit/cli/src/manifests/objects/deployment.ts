import type { builtin, ObjectOf } from '@keelson/apimachinery';
import { place, placeText } from '../values/placed.ts';
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
      template: { metadata: { labels: metadata.labels }, spec: podSpec(parts) },
    },
  };
}

function podSpec(parts: OperatorParts): PodSpec {
  const { operator, settings, selector } = parts;
  const volumes = webhookVolume(operator);
  return {
    serviceAccountName: operator.name,
    imagePullSecrets: place(settings.pullSecrets),
    // The image names its user, and a cluster may assign another one.
    securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
    terminationGracePeriodSeconds: TERMINATION_GRACE_SECONDS,
    // A node that fails should not take all replicas with it.
    topologySpreadConstraints: [
      {
        maxSkew: 1,
        topologyKey: 'kubernetes.io/hostname',
        whenUnsatisfiable: 'ScheduleAnyway',
        labelSelector: { matchLabels: selector },
      },
    ],
    containers: [container(parts)],
    ...(volumes && { volumes: [volumes.volume] }),
    nodeSelector: place(settings.nodeSelector),
    tolerations: place(settings.tolerations),
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
    env: place(settings.env),
    resources: place(settings.resources),
    securityContext: containerSecurity,
    ...(webhook && { volumeMounts: [webhook.mount] }),
  };
}

function probe(path: string, initialDelaySeconds: number, periodSeconds: number): Probe {
  return { httpGet: { path, port: 'health' }, initialDelaySeconds, periodSeconds };
}
