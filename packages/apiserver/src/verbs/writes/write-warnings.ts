import { checkDnsLabel } from '@keelson/cel/internal';
import type { ServedResource } from '../../resources/served-resource.ts';
import { asJson, type JsonObject } from '../../json/json-value.ts';
import { objectAt } from '../../schema/default-rule.ts';
import { standardFinalizers } from '../../schema/validate-metadata.ts';
import type { ApiObject } from '../../storage/api-object.ts';
import { byCodeUnit } from '../../storage/sorted-keys.ts';
import { keyPairWarnings } from '../../kinds/cluster/key-pair-warnings.ts';
import { serviceWarnings } from '../../kinds/services/service-warnings.ts';

const inPodNames = 'this is used in Pod names and hostnames';

/** What the name of an object is used for, by the id of its resource. */
const uses: Readonly<Record<string, string>> = {
  'v1/pods': "this is used in the Pod's hostname",
  'apps/v1/deployments': inPodNames,
  'apps/v1/replicasets': inPodNames,
  'batch/v1/cronjobs': inPodNames,
  'batch/v1/jobs': inPodNames,
  'v1/replicationcontrollers': inPodNames,
};

/** An annotation that a member of the spec has replaced. */
interface ReplacedAnnotation {
  readonly annotation: string;
  readonly warning: string;
  /** The member that makes the annotation irrelevant, and the warning with it. */
  readonly member?: string;
}

/** By the id of the resource. */
const replaced: Readonly<Record<string, ReplacedAnnotation>> = {
  'v1/persistentvolumeclaims': {
    annotation: 'volume.beta.kubernetes.io/storage-class',
    warning:
      'metadata.annotations[volume.beta.kubernetes.io/storage-class]: deprecated since v1.8; use "storageClassName" attribute instead',
  },
  'networking.k8s.io/v1/ingresses': {
    annotation: 'kubernetes.io/ingress.class',
    warning:
      'annotation "kubernetes.io/ingress.class" is deprecated, please use \'spec.ingressClassName\' instead',
    member: 'ingressClassName',
  },
};

/** What a client is warned of that writes an object; `old` makes it an update. */
export function writeWarnings(
  resource: ServedResource,
  object: ApiObject,
  old?: ApiObject,
): string[] {
  if (resource.facts.custom) return finalizerWarnings(object, old);
  const always = [
    ...(resource.schema.warningsOf?.(object, old) ?? []),
    ...(contentWarnings[resource.id]?.(asJson(object)) ?? []),
  ];
  if (old !== undefined) return always;
  return [...nameWarnings(resource, object), ...annotationWarnings(resource, object), ...always];
}

/** By the id of the resource, of a new object and of an update alike. */
const contentWarnings: Readonly<Record<string, (object: JsonObject) => string[]>> = {
  'v1/secrets': keyPairWarnings,
  'v1/services': serviceWarnings,
};

/** Only finalizers that come with this write. */
function finalizerWarnings({ metadata }: ApiObject, old: ApiObject | undefined): string[] {
  const known = new Set([...(old?.metadata.finalizers ?? []), ...standardFinalizers]);
  return (metadata.finalizers ?? [])
    .filter((name) => !known.has(name) && !name.includes('/'))
    .toSorted(byCodeUnit)
    .map(
      (name) =>
        `metadata.finalizers: ${JSON.stringify(name)}: prefer a domain-qualified finalizer name to avoid accidental conflicts with other finalizer writers`,
    );
}

function annotationWarnings(resource: ServedResource, object: ApiObject): string[] {
  const rule = replaced[resource.id];
  if (rule === undefined || object.metadata.annotations?.[rule.annotation] === undefined) return [];
  const spec = objectAt(asJson(object), 'spec');
  return rule.member !== undefined && spec[rule.member] !== undefined ? [] : [rule.warning];
}

/** The name is allowed but will not do as a name of hosts. */
function nameWarnings(resource: ServedResource, { metadata }: ApiObject): string[] {
  const use = uses[resource.id];
  const found = use === undefined ? [] : checkDnsLabel(metadata.name ?? '');
  if (found.length === 0 || !metadata.name) return [];
  return [
    `metadata.name: ${use}, which can result in surprising behavior; a DNS label is recommended: [${found.join(' ')}]`,
  ];
}
