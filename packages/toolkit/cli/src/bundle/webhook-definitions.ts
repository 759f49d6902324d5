import type { builtin, KubernetesObject, ObjectOf } from '@keelson/apimachinery';
import { CliError } from '../errors.ts';
import { placeholderService } from '../manifests/operator/placeholder-service.ts';
import type { Definition } from '../manifests/operator/operator-sources.ts';
import type { Operator } from '../manifests/operator/operator.ts';

type Configuration =
  | ObjectOf<typeof builtin.ValidatingWebhookConfiguration>
  | ObjectOf<typeof builtin.MutatingWebhookConfiguration>;

/** A webhook of a ClusterServiceVersion. OLM makes its Service, its certificate and its registration. */
export interface WebhookDefinition {
  readonly type: 'ValidatingAdmissionWebhook' | 'MutatingAdmissionWebhook' | 'ConversionWebhook';
  readonly generateName: string;
  readonly [member: string]: unknown;
}

const types: ReadonlyMap<string, WebhookDefinition['type']> = new Map([
  ['ValidatingWebhookConfiguration', 'ValidatingAdmissionWebhook'],
  ['MutatingWebhookConfiguration', 'MutatingAdmissionWebhook'],
]);

/** The webhooks of the manifests. Throws `BUNDLE_UNSUPPORTED` for one with `matchConditions`, which OLM does not have. */
export function webhookDefinitions(
  operator: Operator,
  definitions: readonly Definition[],
  objects: readonly KubernetesObject[],
): readonly WebhookDefinition[] {
  const { name: deploymentName, webhook } = operator;
  if (webhook === undefined) return [];
  const shared = { deploymentName, containerPort: 443, targetPort: webhook.port };
  const admission = objects.flatMap((object) => {
    const type = types.get(object.kind ?? '');
    if (type === undefined) return [];
    return ((object as Configuration).webhooks ?? []).map((one) => admissionOf(type, one, shared));
  });
  return [...admission, ...definitions.flatMap((one) => conversionOf(one, shared))];
}

function admissionOf(
  type: WebhookDefinition['type'],
  webhook: NonNullable<Configuration['webhooks']>[number],
  shared: object,
): WebhookDefinition {
  // OLM selects the namespaces of the OperatorGroup.
  const { name, clientConfig, namespaceSelector: _, matchConditions = [], ...rest } = webhook;
  if (matchConditions.length > 0) {
    throw new CliError('BUNDLE_UNSUPPORTED', { kind: 'matchConditions', name });
  }
  return { type, generateName: name, ...shared, webhookPath: clientConfig.service?.path, ...rest };
}

function conversionOf({ object, kind }: Definition, shared: object): WebhookDefinition[] {
  const service = placeholderService(object);
  if (service === undefined) return [];
  const name = `${kind.plural}.${kind.group}`;
  return [
    {
      type: 'ConversionWebhook',
      generateName: `c${name}`,
      ...shared,
      admissionReviewVersions: ['v1'],
      sideEffects: 'None',
      webhookPath: service['path'],
      conversionCRDs: [name],
    },
  ];
}
