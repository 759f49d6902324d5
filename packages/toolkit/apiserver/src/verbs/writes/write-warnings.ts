import { objectAt } from '../../json/json-members.ts';
import { checkDnsLabel } from '@keelson/cel/internal';
import type { ServedResource } from '../../resources/served-resource.ts';
import { asJson, type JsonObject, standardFinalizers } from '@keelson/structural-schema';
import type { ApiObject } from '../../storage/api-object.ts';
import { byCodeUnit } from '../../storage/sorted-keys.ts';
import { keyPairWarnings } from '../../kinds/cluster/key-pair-warnings.ts';
import { serviceWarnings } from '../../kinds/services/service-warnings.ts';

const inPodNames = 'this is used in Pod names and hostnames';

/** The uses of object names that need a valid DNS label, by resource id. */
const uses: Readonly<Record<string, string>> = {
  'v1/pods': "this is used in the Pod's hostname",
  'apps/v1/deployments': inPodNames,
  'apps/v1/replicasets': inPodNames,
  'batch/v1/cronjobs': inPodNames,
  'batch/v1/jobs': inPodNames,
  'v1/replicationcontrollers': inPodNames,
};

/** An annotation that a member of the spec replaces. */
interface ReplacedAnnotation {
  readonly annotation: string;
  readonly warning: string;
  /** If the spec has this member, the annotation causes no warning. */
  readonly member?: string;
}

/** Replaced annotations by resource id. */
const replaced: Readonly<Record<string, ReplacedAnnotation>> = {
  'networking.k8s.io/v1/ingresses': {
    annotation: 'kubernetes.io/ingress.class',
    warning:
      'annotation "kubernetes.io/ingress.class" is deprecated, please use \'spec.ingressClassName\' instead',
    member: 'ingressClassName',
  },
};

/** Returns the warnings for a write; `old` makes it an update. */
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

/** Checks of the content on create and update, by resource id. */
const contentWarnings: Readonly<Record<string, (object: JsonObject) => string[]>> = {
  'v1/secrets': keyPairWarnings,
  'v1/services': serviceWarnings,
};

/** Only new finalizers cause a warning. */
function finalizerWarnings({ metadata }: ApiObject, old: ApiObject | undefined): string[] {
  const known = new Set([...(old?.metadata.finalizers ?? []), ...standardFinalizers]);
  return (metadata.finalizers ?? [])
    .filter((name) => !known.has(name) && !name.includes('/'))
    .toSorted(byCodeUnit)
    .map((name) => {
      const better = `a domain-qualified finalizer name${name.includes('.') ? ' including a path (/)' : ''}`;
      return `metadata.finalizers: ${JSON.stringify(name)}: prefer ${better} to avoid accidental conflicts with other finalizer writers`;
    });
}

function annotationWarnings(resource: ServedResource, object: ApiObject): string[] {
  const rule = replaced[resource.id];
  if (rule === undefined || object.metadata.annotations?.[rule.annotation] === undefined) return [];
  const spec = objectAt(asJson(object), 'spec');
  return rule.member !== undefined && spec[rule.member] !== undefined ? [] : [rule.warning];
}

/** Warns of a valid name that is not a DNS label. */
function nameWarnings(resource: ServedResource, { metadata }: ApiObject): string[] {
  const use = uses[resource.id];
  const found = use === undefined ? [] : checkDnsLabel(metadata.name ?? '');
  if (found.length === 0 || !metadata.name) return [];
  return [
    `metadata.name: ${use}, which can result in surprising behavior; a DNS label is recommended: [${found.join(' ')}]`,
  ];
}
