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
  readonly env: ChartSetting<{ name: string }[]>;
  readonly resources: ChartSetting<Resources>;
  readonly nodeSelector: ChartSetting<Record<string, string>>;
  readonly tolerations: ChartSetting<object[]>;
  readonly serviceMonitor: ChartSetting<boolean>;
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
const pullPolicies = ['Always', 'IfNotPresent', 'Never'];

/** A small operator. The limit of the processor is missing: it would slow down the start only. */
const resources: Resources = {
  requests: { cpu: '50m', memory: '128Mi' },
  limits: { memory: '256Mi' },
};

/** One replica leads, and the other takes over when it stops. */
const REPLICAS = 2;

/** Returns the settings with the defaults of an operator. */
export function chartSettings({ image }: Operator): ChartSettings {
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
    env: setting(
      'env',
      [],
      { type: 'array', items: variableSchema },
      'Environment variables of the container, such as [{ name: STORE_URL, value: "https://store.example" }].',
    ),
    resources: setting(
      'resources',
      resources,
      resourcesSchema,
      'Requests and limits of the container. The memory grows with the number of watched objects.',
    ),
    nodeSelector: setting(
      'nodeSelector',
      {},
      textMap,
      'Labels of the nodes that may run the Pods.',
    ),
    tolerations: setting(
      'tolerations',
      [],
      { type: 'array', items: { type: 'object' } },
      'Taints of nodes that the Pods tolerate.',
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
