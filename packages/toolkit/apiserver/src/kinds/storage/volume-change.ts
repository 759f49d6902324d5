import type { StatusCause } from '@keelson/apimachinery';
import {
  forbidden,
  invalid,
  isJsonObject,
  jsonEquals,
  type JsonObject,
  type JsonValue,
} from '@keelson/structural-schema';
import { objectAt, objectsAt, textAt } from '../../json/json-members.ts';
import { without } from '../../schema/validation-rule.ts';
import { sourceNames } from './rules-persistent-volume.ts';

/** Validates an update of a PersistentVolume. */
export function validateVolumeChange(object: JsonObject, old: JsonObject): StatusCause[] {
  const [spec, before] = [objectAt(object, 'spec'), objectAt(old, 'spec')];
  const isClassRemoved =
    before.volumeAttributesClassName !== undefined && spec.volumeAttributesClassName === undefined;
  return [
    ...validateSourceChange(spec, before),
    ...(spec.volumeMode === before.volumeMode
      ? []
      : [invalid('volumeMode', spec.volumeMode, 'field is immutable')]),
    ...validateAffinityChange(spec, before),
    ...(isClassRemoved
      ? [
          forbidden(
            'spec.volumeAttributesClassName',
            'update from non-nil value to nil is forbidden',
          ),
        ]
      : []),
  ];
}

/** The secret for an expansion may be added to a source without one. */
function validateSourceChange(spec: JsonObject, before: JsonObject): StatusCause[] {
  const [source, former] = [sourceOf(spec), sourceOf(before)];
  const mayAdd =
    isJsonObject(source.csi) &&
    isJsonObject(former.csi) &&
    former.csi.controllerExpandSecretRef === undefined;
  const compared = mayAdd
    ? { ...source, csi: without(objectAt(source, 'csi'), 'controllerExpandSecretRef') }
    : source;
  if (jsonEquals(compared, former)) return [];
  const field = 'spec.persistentvolumesource';
  return [forbidden(field, `${field} is immutable after creation`)];
}

function sourceOf(spec: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(spec).filter(([name]) => sourceNames.includes(name)));
}

/** Deprecated labels of nodes, each of which may be replaced with the label after it. */
const replacedLabels = new Map([
  ['failure-domain.beta.kubernetes.io/zone', 'topology.kubernetes.io/zone'],
  ['failure-domain.beta.kubernetes.io/region', 'topology.kubernetes.io/region'],
  ['beta.kubernetes.io/os', 'kubernetes.io/os'],
  ['beta.kubernetes.io/arch', 'kubernetes.io/arch'],
  ['beta.kubernetes.io/instance-type', 'node.kubernetes.io/instance-type'],
]);

function validateAffinityChange(spec: JsonObject, before: JsonObject): StatusCause[] {
  if (!isJsonObject(before.nodeAffinity)) return [];
  const [next, former] = [shownAffinity(spec.nodeAffinity), shownAffinity(before.nodeAffinity)];
  if (jsonEquals(next, withReplacedLabels(former, next))) return [];
  const detail = 'field is immutable, except for updating from beta label to GA';
  return [invalid('nodeAffinity', next, detail)];
}

/** The affinity in the form of the internal struct, which kube-apiserver prints: other names, no absent members. */
function shownAffinity(affinity: JsonValue | undefined): JsonValue {
  if (!isJsonObject(affinity)) return null;
  const { required } = affinity;
  if (!isJsonObject(required)) return { Required: null };
  const terms = Array.isArray(required.nodeSelectorTerms)
    ? objectsAt(required, 'nodeSelectorTerms').map((term) => ({
        MatchExpressions: shownRequirements(term, 'matchExpressions'),
        MatchFields: shownRequirements(term, 'matchFields'),
      }))
    : null;
  return { Required: { NodeSelectorTerms: terms } };
}

function shownRequirements(term: JsonObject, name: string): JsonValue {
  if (!Array.isArray(term[name])) return null;
  return objectsAt(term, name).map((requirement) => ({
    Key: textAt(requirement, 'key'),
    Operator: textAt(requirement, 'operator'),
    Values: requirement.values ?? null,
  }));
}

/** Returns the former affinity with each deprecated label that the new one replaces in the same place. */
function withReplacedLabels(former: JsonValue, next: JsonValue | undefined): JsonValue {
  if (Array.isArray(former)) {
    const others = Array.isArray(next) ? next : [];
    return former.map((item, index) => withReplacedLabels(item, others[index]));
  }
  if (!isJsonObject(former)) return former;
  const other = isJsonObject(next) ? next : {};
  const entries = Object.entries(former).map(([name, value]) => [
    name,
    withReplacedLabels(value, other[name]),
  ]);
  const copy = Object.fromEntries(entries) as JsonObject;
  // A label without a replacement may be replaced with the empty one, because a Go map returns '' for a missing key.
  if (typeof copy.Key === 'string' && (replacedLabels.get(copy.Key) ?? '') === other.Key) {
    copy.Key = other.Key;
  }
  return copy;
}
