import {
  checkOptions,
  invalidOption,
  isDnsSubdomain,
  type builtin,
  type LabelSelector,
  type ObjectOf,
} from '@keelson/apimachinery';
import { checkWebhook, type CheckedWebhook } from '../admission/check-webhook.ts';
import type { WebhookOptions } from '../admission/webhook-options.ts';
import { WebhookError } from '../errors.ts';
import type { AnyWebhook } from './define-webhook.ts';

type Validating = ObjectOf<typeof builtin.ValidatingWebhookConfiguration>;
type Mutating = ObjectOf<typeof builtin.MutatingWebhookConfiguration>;
type Service = ObjectOf<typeof builtin.Service>;

/** Where API servers find the webhooks, and the metadata of the configurations. */
export interface ConfigurationOptions {
  /** The name of both configurations, such as that of the operator. */
  readonly name: string;
  /** The Service of the webhook server. Its namespace is that of the operator. */
  readonly service: {
    readonly namespace: string;
    readonly name: string;
    /** Default 443. */
    readonly port?: number;
  };
  /** The authorities of the server's certificate in PEM. Default: none, for cert-manager or the operator to write. */
  readonly caBundle?: string;
  /** The labels of the configurations. Default: none. */
  readonly labels?: Readonly<Record<string, string>>;
  /** The annotations of the configurations. Default: none. */
  readonly annotations?: Readonly<Record<string, string>>;
}

/** The API server requires three labels in the name of a webhook. */
const LEAST_LABELS = 3;
/** The end of names that have fewer labels. */
const NAME_SUFFIX = 'keelson.dev';
/** The label with the name that every namespace has. */
const NAMESPACE_NAME = 'kubernetes.io/metadata.name';

/**
 * Returns the configurations with which API servers call these webhooks: one of the validating and one of the mutating
 * ones, if there are any. The webhooks of a configuration are called in the order given. Without a `namespaceSelector` a
 * webhook does not review objects in `kube-system` and in the namespace of the operator, so that an operator that is down
 * keeps neither the cluster nor itself from recovering. Throws `INVALID_OPTION`, and `DUPLICATE_WEBHOOK`.
 */
export function webhookConfigurations(
  webhooks: readonly AnyWebhook[],
  options: ConfigurationOptions,
): readonly (Validating | Mutating)[] {
  const where = 'webhookConfigurations';
  checkConfiguration(options, where);
  const checked = webhooks.map((each, index) =>
    checkWebhook(each as WebhookOptions, `${where}.webhooks[${index}]`),
  );
  checkDistinct(checked);
  const { name, labels, annotations } = options;
  const metadata = { name, ...(labels && { labels }), ...(annotations && { annotations }) };
  const apiVersion = 'admissionregistration.k8s.io/v1';
  const of = (type: CheckedWebhook['type']): readonly object[] =>
    checked.filter((each) => each.type === type).map((each) => entryOf(each, options));
  const [validating, mutating] = [of('validating'), of('mutating')];
  return [
    ...(mutating.length > 0
      ? [
          {
            apiVersion,
            kind: 'MutatingWebhookConfiguration',
            metadata,
            webhooks: mutating,
          } as Mutating,
        ]
      : []),
    ...(validating.length > 0
      ? [
          {
            apiVersion,
            kind: 'ValidatingWebhookConfiguration',
            metadata,
            webhooks: validating,
          } as Validating,
        ]
      : []),
  ];
}

/** The Pods of a webhook server, and its port in them. */
export interface WebhookServiceOptions {
  readonly namespace: string;
  readonly name: string;
  /** The labels of the Pods. */
  readonly selector: Readonly<Record<string, string>>;
  /** The number of `servers.webhook.port`, or the name of the container's port. */
  readonly targetPort: number | string;
  /** The labels of the Service. Default: none. */
  readonly labels?: Readonly<Record<string, string>>;
}

/** Returns the Service by which API servers reach the Pods of a webhook server. */
export function webhookService(options: WebhookServiceOptions): Service {
  const known = ['namespace', 'name', 'selector', 'targetPort', 'labels'];
  checkOptions(options, known, 'webhookService');
  const { namespace, name, selector, targetPort, labels } = options;
  checkName(namespace, 'webhookService.namespace');
  checkName(name, 'webhookService.name');
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { namespace, name, ...(labels && { labels: { ...labels } }) },
    spec: {
      selector: { ...selector },
      ports: [{ name: 'https', port: 443, targetPort, protocol: 'TCP' }],
    },
  };
}

function entryOf(
  { name, path, type, timeoutSeconds, operations, scope, resources, options }: CheckedWebhook,
  { service, caBundle }: ConfigurationOptions,
): object {
  const { namespace, name: serviceName, port } = service;
  const { failurePolicy = 'Fail', sideEffects = 'None', matchPolicy = 'Equivalent' } = options;
  const { matchConditions, objectSelector, reinvocationPolicy = 'Never', subresource } = options;
  const { namespaceSelector = exceptNamespaces(['kube-system', namespace]) } = options;
  return {
    name: qualifiedName(name),
    admissionReviewVersions: ['v1'],
    clientConfig: {
      service: { namespace, name: serviceName, path, ...(port !== undefined && { port }) },
      ...(caBundle !== undefined && { caBundle: Buffer.from(caBundle).toString('base64') }),
    },
    rules: rulesOf(resources, subresource).map((rule) => ({
      ...rule,
      operations: [...operations],
      scope,
    })),
    failurePolicy,
    matchPolicy,
    sideEffects,
    timeoutSeconds,
    namespaceSelector,
    ...(objectSelector && { objectSelector }),
    ...(matchConditions && { matchConditions: [...matchConditions] }),
    ...(type === 'mutating' && { reinvocationPolicy }),
  };
}

function rulesOf(
  resources: CheckedWebhook['resources'],
  subresource: string | undefined,
): readonly object[] {
  const part = subresource === undefined ? '' : `/${subresource}`;
  if (resources === '*') {
    return [{ apiGroups: ['*'], apiVersions: ['*'], resources: [`*${part}`] }];
  }
  return resources.map(({ group, version, plural }) => ({
    apiGroups: [group],
    apiVersions: [version],
    resources: [`${plural}${part}`],
  }));
}

function exceptNamespaces(values: readonly string[]): LabelSelector {
  return { matchExpressions: [{ key: NAMESPACE_NAME, operator: 'NotIn', values: [...values] }] };
}

function qualifiedName(name: string): string {
  return name.split('.').length < LEAST_LABELS ? `${name}.${NAME_SUFFIX}` : name;
}

function checkDistinct(webhooks: readonly CheckedWebhook[]): void {
  const seen = new Set<string>();
  for (const { name, path, type } of webhooks) {
    // The API server refuses two webhooks of one name in a configuration.
    for (const id of [`name ${name}`, `${type} ${qualifiedName(name)}`, `path ${path}`]) {
      if (seen.has(id)) throw new WebhookError('DUPLICATE_WEBHOOK', { webhook: name, path });
      seen.add(id);
    }
  }
}

function checkConfiguration(options: ConfigurationOptions, where: string): void {
  checkOptions(options, ['name', 'service', 'caBundle', 'labels', 'annotations'], where);
  const { name, service, caBundle } = options;
  checkName(name, `${where}.name`);
  checkOptions(service, ['namespace', 'name', 'port'], `${where}.service`);
  checkName(service.namespace, `${where}.service.namespace`);
  checkName(service.name, `${where}.service.name`);
  const { port = 443 } = service;
  if (!Number.isInteger(port) || port < 1 || port > 65_535) {
    throw invalidOption(`${where}.service.port`, 'must be a port from 1 to 65535');
  }
  const isPem = typeof caBundle === 'string' && caBundle.includes('-----BEGIN CERTIFICATE-----');
  if (caBundle !== undefined && !isPem) {
    throw invalidOption(`${where}.caBundle`, 'must be certificates in PEM');
  }
}

function checkName(name: unknown, option: string): void {
  if (typeof name !== 'string' || !isDnsSubdomain(name)) {
    throw invalidOption(option, 'must be the name of an object');
  }
}
