import type { builtin, KubernetesObject, ObjectOf } from '@keelson/apimachinery';
import { webhookConfigurations, type AnyWebhook } from '@keelson/webhook';
import type { Definition } from '../operator/operator-sources.ts';
import type { Operator } from '../operator/operator.ts';
import { checkConditions } from './check-conditions.ts';
import { place, Placed, placeText } from '../values/placed.ts';
import type { OperatorParts } from './operator-parts.ts';

type Service = ObjectOf<typeof builtin.Service>;
type Configuration = ObjectOf<typeof builtin.ValidatingWebhookConfiguration>;
type Rule = NonNullable<NonNullable<Configuration['webhooks']>[number]['rules']>[number];

/** The folder of `tls.crt` and `tls.key` in the container; the default of controller-runtime. */
const CERTIFICATE_FOLDER = '/tmp/k8s-webhook-server/serving-certs';

/** The API server waits this long for a response before it refuses the write. */
const WEBHOOK_TIMEOUT_SECONDS = 10;

const certManager = 'cert-manager.io/v1';

/** A cert-manager object, whose type no package of Kubernetes has. */
interface CertManagerObject extends KubernetesObject {
  readonly spec: object;
}

/** The port of the webhook and the Secret with its certificate. */
interface WebhookVolume {
  readonly port: number;
  readonly volume: { name: string; secret: { secretName: string } };
  readonly mount: { name: string; mountPath: string; readOnly: boolean };
}

/** Returns undefined without a webhook. */
export function webhookVolume({ name, webhook }: Operator): WebhookVolume | undefined {
  if (webhook === undefined) return undefined;
  const volume = 'webhook-certificate';
  return {
    port: webhook.port,
    volume: { name: volume, secret: { secretName: secretOf(name) } },
    mount: { name: volume, mountPath: CERTIFICATE_FOLDER, readOnly: true },
  };
}

/** The Service, the certificate and the registration of the webhook; empty without one. Throws `CONDITION_INVALID`. */
export function webhookObjects(
  parts: OperatorParts,
  definitions: readonly Definition[],
  webhooks: readonly AnyWebhook[],
): readonly KubernetesObject[] {
  if (parts.operator.webhook === undefined) return [];
  const { path } = parts.operator.webhook;
  const configurations =
    path === undefined
      ? declaredConfigurations(parts, definitions, webhooks)
      : [configuration(parts, path, definitions)];
  return [service(parts), issuer(parts), certificate(parts), ...configurations];
}

/** A namespace that no operator has, in place of the one that the chart knows when it is installed. */
const NAMESPACE_PLACE = 'keelson-namespace-of-the-operator';

/** The configurations of the webhooks that the project declares. */
function declaredConfigurations(
  parts: OperatorParts,
  definitions: readonly Definition[],
  webhooks: readonly AnyWebhook[],
): readonly KubernetesObject[] {
  checkConditions(webhooks, definitions);
  const name = serviceName(parts);
  const configurations = webhookConfigurations(webhooks, {
    ...parts.clusterMetadata(),
    service: { namespace: NAMESPACE_PLACE, name },
    annotations: injectionOf(parts),
  });
  return configurations.map((object) => withNamespace(object, parts) as KubernetesObject);
}

function withNamespace(value: unknown, parts: OperatorParts): unknown {
  if (value === NAMESPACE_PLACE) return place(parts.namespace);
  if (Array.isArray(value)) return value.map((member) => withNamespace(member, parts));
  if (typeof value !== 'object' || value === null || value instanceof Placed) return value;
  const members = Object.entries(value);
  return Object.fromEntries(members.map(([key, member]) => [key, withNamespace(member, parts)]));
}

/** The annotation by which cert-manager writes the authority of the certificate into a configuration. */
export function injectionOf(parts: OperatorParts): Record<string, string> {
  const name = serviceName(parts);
  return { 'cert-manager.io/inject-ca-from': placeText(parts.namespace, `/${name}`) };
}

/** The name of the Service of the webhook. */
export function serviceName(parts: OperatorParts): string {
  return parts.metadata('-webhook').name;
}

function service(parts: OperatorParts): Service {
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: parts.metadata('-webhook', 'webhook'),
    spec: {
      selector: parts.selector,
      ports: [{ name: 'https', port: 443, targetPort: 'webhook', protocol: 'TCP' }],
    },
  };
}

function issuer(parts: OperatorParts): CertManagerObject {
  const metadata = parts.metadata('-webhook', 'webhook');
  return { apiVersion: certManager, kind: 'Issuer', metadata, spec: { selfSigned: {} } };
}

function certificate(parts: OperatorParts): CertManagerObject {
  const metadata = parts.metadata('-webhook', 'webhook');
  const { name } = metadata;
  return {
    apiVersion: certManager,
    kind: 'Certificate',
    metadata,
    spec: {
      secretName: secretOf(parts.operator.name),
      dnsNames: [
        placeText(`${name}.`, parts.namespace, '.svc'),
        placeText(`${name}.`, parts.namespace, '.svc.cluster.local'),
      ],
      issuerRef: { kind: 'Issuer', name },
    },
  };
}

function configuration(
  parts: OperatorParts,
  path: string,
  definitions: readonly Definition[],
): Configuration {
  const { name, namespace } = parts.metadata('-webhook');
  const [first] = definitions;
  return {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingWebhookConfiguration',
    metadata: {
      ...parts.clusterMetadata(),
      annotations: injectionOf(parts),
    },
    webhooks: [
      {
        name: `${parts.operator.name}.${first?.kind.group}`,
        admissionReviewVersions: ['v1'],
        clientConfig: { service: { name, namespace, path } },
        rules: definitions.map(ruleOf),
        sideEffects: 'None',
        failurePolicy: 'Fail',
        timeoutSeconds: WEBHOOK_TIMEOUT_SECONDS,
      },
    ],
  };
}

function ruleOf({ kind: { group, plural, versions } }: Definition): Rule {
  return {
    apiGroups: [group],
    apiVersions: versions.map(({ name }) => name),
    resources: [plural],
    operations: ['CREATE', 'UPDATE'],
  };
}

function secretOf(name: string): string {
  return `${name}-webhook`;
}
