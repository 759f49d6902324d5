import type { JsonObject } from '../../types/definition/custom-kind.ts';
import type { Operator } from '../operator/operator.ts';
import type { Expression } from './placed.ts';

/** A setting of the chart: `values.yaml`, its schema and the templates derive from it. */
export interface ChartSetting<T = unknown> extends Expression<T> {
  /** The path in `values.yaml`, such as `image.tag`. */
  readonly path: string;
  /** The comment in `values.yaml`, and the description in its schema. */
  readonly comment: string;
  readonly schema: JsonObject;
}

/** Every setting of the chart, in the order of `values.yaml`. */
export interface ChartSettings {
  readonly repository: ChartSetting<string>;
  readonly tag: ChartSetting<string>;
  readonly pullPolicy: ChartSetting<string>;
  readonly pullSecrets: ChartSetting<{ name: string }[]>;
  readonly replicas: ChartSetting<number>;
  readonly watchNamespaces: ChartSetting<string[]>;
  readonly env: ChartSetting<{ name: string }[]>;
  readonly envFrom: ChartSetting<object[]>;
  readonly resources: ChartSetting<Resources>;
  readonly accountAnnotations: ChartSetting<Record<string, string>>;
  readonly podAnnotations: ChartSetting<Record<string, string>>;
  readonly podLabels: ChartSetting<Record<string, string>>;
  readonly volumes: ChartSetting<{ name: string }[]>;
  readonly volumeMounts: ChartSetting<{ name: string; mountPath: string }[]>;
  readonly nodeSelector: ChartSetting<Record<string, string>>;
  readonly tolerations: ChartSetting<object[]>;
  readonly affinity: ChartSetting<object>;
  readonly topologySpread: ChartSetting<TopologySpread[]>;
  readonly priorityClass: ChartSetting<string>;
  readonly disruptionBudget: ChartSetting<boolean>;
  readonly networkPolicy: ChartSetting<boolean>;
  readonly serviceMonitor: ChartSetting<boolean>;
}

/** A constraint of the distribution of Pods. */
export interface TopologySpread {
  readonly maxSkew: number;
  readonly topologyKey: string;
  readonly whenUnsatisfiable: string;
  readonly labelSelector: { readonly matchLabels: Record<string, string> };
}

/** The resources of a container. */
export interface Resources {
  readonly requests: Record<string, string>;
  readonly limits: Record<string, string>;
}

const text = { type: 'string', minLength: 1 };
const textMap = { type: 'object', additionalProperties: { type: 'string' } };
const quantityMap = { type: 'object', additionalProperties: { type: ['string', 'number'] } };
const resourcesSchema = {
  type: 'object',
  properties: { requests: quantityMap, limits: quantityMap, claims: { type: 'array' } },
  additionalProperties: false,
};
const secretSchema = {
  type: 'object',
  properties: { name: text },
  required: ['name'],
  additionalProperties: false,
};
/** An EnvVar has other members too, such as `valueFrom`. */
const variableSchema = { type: 'object', properties: { name: text }, required: ['name'] };
const mountSchema = {
  type: 'object',
  properties: { name: text, mountPath: text },
  required: ['name', 'mountPath'],
};
const objects = { type: 'array', items: { type: 'object' } };
const namespaceSchema = { type: 'string', pattern: '^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$' };
const pullPolicies = ['Always', 'IfNotPresent', 'Never'];

/** A small operator. The limit of the processor is missing: it would slow down the start only. */
const resources: Resources = {
  requests: { cpu: '50m', memory: '128Mi' },
  limits: { memory: '256Mi' },
};

/** One replica leads, and the other takes over when it stops. */
const REPLICAS = 2;

/** Returns the settings with the defaults of an operator, whose Pods have these labels. */
export function chartSettings(
  { image, watchNamespaces }: Operator,
  selector: Record<string, string>,
): ChartSettings {
  return {
    repository: setting('image.repository', image.repository, text, 'The image without its tag.'),
    tag: setting('image.tag', image.tag, text, 'The tag of the image.'),
    pullPolicy: setting(
      'image.pullPolicy',
      'IfNotPresent',
      { enum: pullPolicies },
      'When nodes pull the image: Always, IfNotPresent or Never.',
    ),
    pullSecrets: setting(
      'imagePullSecrets',
      [],
      { type: 'array', items: secretSchema },
      'Secrets of a private registry, such as [{ name: registry }].',
    ),
    replicas: setting(
      'replicas',
      REPLICAS,
      { type: 'integer', minimum: 0 },
      'One replica leads, the others are standbys. With 2 or more there is a PodDisruptionBudget.',
    ),
    watchNamespaces: setting(
      'watchNamespaces',
      [...watchNamespaces],
      { type: 'array', items: namespaceSchema, uniqueItems: true },
      'The namespaces of the objects that the operator watches, in which alone it has permissions. Default: all.',
    ),
    env: setting(
      'env',
      [],
      { type: 'array', items: variableSchema },
      'Environment variables of the container, such as [{ name: STORE_URL, value: "https://store.example" }].',
    ),
    envFrom: setting(
      'envFrom',
      [],
      objects,
      'ConfigMaps and Secrets with environment variables, such as [{ secretRef: { name: store } }].',
    ),
    resources: setting(
      'resources',
      resources,
      resourcesSchema,
      'Requests and limits of the container. The memory grows with the number of watched objects.',
    ),
    accountAnnotations: setting(
      'serviceAccount.annotations',
      {},
      textMap,
      'Annotations of the ServiceAccount, such as the role of a cloud provider.',
    ),
    podAnnotations: setting('podAnnotations', {}, textMap, 'Annotations of the Pods.'),
    podLabels: setting('podLabels', {}, textMap, 'Further labels of the Pods.'),
    volumes: setting(
      'volumes',
      [],
      { type: 'array', items: variableSchema },
      'Further volumes of the Pods, such as [{ name: cache, emptyDir: {} }].',
    ),
    volumeMounts: setting(
      'volumeMounts',
      [],
      { type: 'array', items: mountSchema },
      'Where the container has these volumes, such as [{ name: cache, mountPath: /cache }].',
    ),
    nodeSelector: setting(
      'nodeSelector',
      {},
      textMap,
      'Labels of the nodes that may run the Pods.',
    ),
    tolerations: setting('tolerations', [], objects, 'Taints of nodes that the Pods tolerate.'),
    affinity: setting(
      'affinity',
      {},
      { type: 'object' },
      'Rules about nodes and other Pods, as in a Pod.',
    ),
    topologySpread: setting(
      'topologySpreadConstraints',
      // A node that fails should not take all replicas with it.
      [
        {
          maxSkew: 1,
          topologyKey: 'kubernetes.io/hostname',
          whenUnsatisfiable: 'ScheduleAnyway',
          labelSelector: { matchLabels: selector },
        },
      ],
      objects,
      'How the Pods are distributed over nodes or zones.',
    ),
    priorityClass: setting(
      'priorityClassName',
      '',
      { type: 'string' },
      'The PriorityClass of the Pods; empty for the default of the cluster.',
    ),
    disruptionBudget: setting(
      'podDisruptionBudget.enabled',
      true,
      { type: 'boolean' },
      'Whether a drain of nodes stops one replica at a time. With one replica there is no budget.',
    ),
    networkPolicy: setting(
      'networkPolicy.enabled',
      false,
      { type: 'boolean' },
      'Whether a NetworkPolicy lets only the ports of the operator be reached.',
    ),
    serviceMonitor: setting(
      'metrics.serviceMonitor.enabled',
      false,
      { type: 'boolean' },
      'Whether Prometheus Operator scrapes the metrics. Its CustomResourceDefinitions must exist.',
    ),
  };
}

function setting<T>(path: string, plain: T, schema: JsonObject, comment: string): ChartSetting<T> {
  return { path, plain, schema, comment, helm: `.Values.${path}` };
}
