import type { builtin, KubernetesObject, ObjectOf } from '@keelson/apimachinery';
import type { PolicyRule } from '@keelson/envtest';
import { CliError } from '../errors.ts';
import type { Definition, OperatorSources } from '../manifests/operator/operator-sources.ts';
import type { Operator } from '../manifests/operator/operator.ts';
import type { JsonObject } from '../types/definition/custom-kind.ts';
import { webhookDefinitions } from './webhook-definitions.ts';

type Deployment = ObjectOf<typeof builtin.Deployment>;

/** OLM writes the namespaces of the OperatorGroup into this annotation of the Pods; empty for all. */
const TARGET_NAMESPACES = "metadata.annotations['olm.targetNamespaces']";

/** The volume of the certificate in the manifests. OLM mounts one of its own into the same folder. */
const CERTIFICATE_VOLUME = 'webhook-certificate';

/**
 * The ClusterServiceVersion of an operator: its kinds, its Deployment, its permissions and its webhooks. Throws
 * `BUNDLE_UNSUPPORTED` for a Role in another namespace and a webhook with `matchConditions`.
 */
export function serviceVersion(
  operator: Operator,
  { definitions, roles }: OperatorSources,
  {
    objects,
    provider,
  }: { readonly objects: readonly KubernetesObject[]; readonly provider: string },
): object {
  const { name, version } = operator;
  const webhooks = webhookDefinitions(operator, definitions, objects);
  const converts = webhooks.some(({ type }) => type === 'ConversionWebhook');
  return {
    apiVersion: 'operators.coreos.com/v1alpha1',
    kind: 'ClusterServiceVersion',
    metadata: {
      name: `${name}.v${version}`,
      annotations: {
        capabilities: 'Basic Install',
        'operators.operatorframework.io/builder': 'keelson',
      },
    },
    spec: {
      displayName: titleOf(name),
      description: `The Kubernetes operator ${name}.`,
      version,
      maturity: 'alpha',
      provider: { name: provider },
      minKubeVersion: '1.30.0',
      installModes: ['OwnNamespace', 'SingleNamespace', 'MultiNamespace', 'AllNamespaces'].map(
        (type) => ({
          type,
          // OLM refuses a conversion webhook with another mode.
          supported: type === 'AllNamespaces' || !converts,
        }),
      ),
      customresourcedefinitions: { owned: definitions.flatMap(ownedKinds) },
      install: {
        strategy: 'deployment',
        spec: {
          deployments: objects.filter(isDeployment).map(deploymentOf),
          clusterPermissions: permission(name, clusterRules(objects)),
          permissions: permission(name, namespaceRules(operator, roles.roles, objects)),
        },
      },
      ...(webhooks.length > 0 && { webhookdefinitions: webhooks }),
    },
  };
}

/** `order-operator` as `Order Operator`. */
function titleOf(name: string): string {
  return name
    .replaceAll(/(?:^|-)([a-z0-9])/g, (_, letter: string) => ` ${letter.toUpperCase()}`)
    .trim();
}

function ownedKinds({ kind, object }: Definition): object[] {
  const { plural, group, versions } = kind;
  const { description } = (object['metadata'] ?? {}) as { description?: string };
  return versions.map((version) => ({
    name: `${plural}.${group}`,
    version: version.name,
    kind: kind.kind,
    displayName: kind.kind,
    description: description ?? `Objects of the kind ${kind.kind}.`,
  }));
}

function isDeployment(object: KubernetesObject): object is Deployment {
  return object.kind === 'Deployment';
}

function deploymentOf({ metadata, spec }: Deployment): object {
  const pod = spec?.template.spec;
  const { labels } = spec?.template.metadata ?? {};
  const containers = pod?.containers.map((container) => ({
    ...container,
    env: container.env?.map((variable) =>
      variable.name === 'WATCH_NAMESPACES'
        ? { name: variable.name, valueFrom: { fieldRef: { fieldPath: TARGET_NAMESPACES } } }
        : variable,
    ),
    ...without('volumeMounts', container.volumeMounts),
  }));
  return {
    name: metadata?.name,
    spec: {
      ...spec,
      template: {
        metadata: {
          ...spec?.template.metadata,
          labels: { ...labels, 'app.kubernetes.io/managed-by': 'olm' },
        },
        spec: { ...pod, containers, ...without('volumes', pod?.volumes) },
      },
    },
  };
}

/** Leaves the volume of the certificate out; `undefined` members are not written. */
function without(
  member: string,
  list: readonly { readonly name: string }[] | undefined,
): Readonly<Record<string, unknown>> {
  const rest = (list ?? []).filter(({ name }) => name !== CERTIFICATE_VOLUME);
  return { [member]: rest.length === 0 ? undefined : rest };
}

/** The rules of the ClusterRoles that the manifests bind to the service account. */
function clusterRules(objects: readonly KubernetesObject[]): readonly PolicyRule[] {
  const bound = new Set(
    objects
      .filter(({ kind }) => kind === 'ClusterRoleBinding')
      .map((binding) => (binding as ObjectOf<typeof builtin.ClusterRoleBinding>).roleRef.name),
  );
  return objects
    .filter(({ kind, metadata }) => kind === 'ClusterRole' && bound.has(metadata?.name ?? ''))
    .flatMap((role) => (role as unknown as JsonObject)['rules'] as readonly PolicyRule[]);
}

/** The rules of the Roles, which OLM grants in the namespace of the operator and in those of the OperatorGroup. */
function namespaceRules(
  { namespace }: Operator,
  roles: OperatorSources['roles']['roles'],
  objects: readonly KubernetesObject[],
): readonly PolicyRule[] {
  const foreign = roles.find(({ metadata }) => (metadata?.namespace ?? namespace) !== namespace);
  if (foreign !== undefined) {
    const { namespace: other, name } = foreign.metadata ?? {};
    throw new CliError('BUNDLE_UNSUPPORTED', { kind: 'Role', namespace: other, name });
  }
  return objects
    .filter(({ kind }) => kind === 'Role')
    .flatMap((role) => (role as unknown as JsonObject)['rules'] as readonly PolicyRule[]);
}

function permission(
  serviceAccountName: string,
  rules: readonly PolicyRule[],
): object[] | undefined {
  return rules.length === 0 ? undefined : [{ serviceAccountName, rules }];
}
