import { goTrim } from '@keelson/cel/internal';
import { objectAt, objectsAt, textAt } from '../../json/json-members.ts';
import type { StatusCause } from '@keelson/apimachinery';
import {
  childPath,
  forbidden,
  indexPath,
  invalid,
  jsonEquals,
  type JsonObject,
  required,
} from '@keelson/structural-schema';
import { without } from '../../schema/validation-rule.ts';
import { validateToleration } from './rules-placement.ts';
import { validateAnnotationChange } from './rules-pod-annotations.ts';

const largestInt32 = 2 ** 31 - 1;
const deadlineField = 'spec.activeDeadlineSeconds';

/** Validates an update of a pod: most fields are immutable. */
export function validatePodChange(pod: JsonObject, old: JsonObject): StatusCause[] {
  const [spec, before] = [objectAt(pod, 'spec'), objectAt(old, 'spec')];
  const causes = validateAnnotationChange(pod, old);
  for (const sort of ['containers', 'initContainers']) {
    if (objectsAt(spec, sort).length !== objectsAt(before, sort).length) {
      const detail = 'pod updates may not add or remove containers';
      return [...causes, forbidden(`spec.${sort}`, detail)];
    }
    causes.push(...validateImages(objectsAt(spec, sort), `spec.${sort}`));
  }
  const deadline = validateDeadlineChange(spec, before);
  if (deadline.length > 0 && spec.activeDeadlineSeconds !== undefined) {
    return [...causes, ...deadline];
  }
  return [
    ...causes,
    ...deadline,
    ...validateTolerationChange(objectsAt(spec, 'tolerations'), objectsAt(before, 'tolerations')),
    ...validateGateChange(objectsAt(spec, 'schedulingGates'), objectsAt(before, 'schedulingGates')),
    ...validateNodeSelectorChange(spec, before),
    ...validateNodeAffinityChange(spec, before),
    ...validateRest(spec, before),
  ];
}

function validateImages(containers: readonly JsonObject[], path: string): StatusCause[] {
  return containers.flatMap((container, index) => {
    const image = textAt(container, 'image');
    const field = childPath(indexPath(path, index), 'image');
    if (image === '') return [required(field)];
    if (image === goTrim(image)) return [];
    return [invalid(field, image, 'must not have leading or trailing whitespace')];
  });
}

/** A deadline may be added or decreased. */
function validateDeadlineChange(spec: JsonObject, before: JsonObject): StatusCause[] {
  const [next, last] = [spec.activeDeadlineSeconds, before.activeDeadlineSeconds];
  if (next === undefined) {
    if (last === undefined) return [];
    const detail = 'must not update from a positive integer to nil value';
    return [invalid(deadlineField, null, detail)];
  }
  if (Number(next) < 0 || Number(next) > largestInt32) {
    return [invalid(deadlineField, next, `must be between 0 and ${largestInt32}, inclusive`)];
  }
  if (last === undefined || Number(last) >= Number(next)) return [];
  return [invalid(deadlineField, next, 'must be less than or equal to previous value')];
}

/** Tolerations may be added, and `tolerationSeconds` may change. */
function validateTolerationChange(
  tolerations: readonly JsonObject[],
  before: readonly JsonObject[],
): StatusCause[] {
  const kinds = tolerations.map((toleration) => without(toleration, 'tolerationSeconds'));
  const isKept = before.every((toleration) =>
    kinds.some((kind) => jsonEquals(kind, without(toleration, 'tolerationSeconds'))),
  );
  if (!isKept) {
    const detail = 'existing toleration can not be modified except its tolerationSeconds';
    return [forbidden('spec.tolerations', detail)];
  }
  return tolerations.flatMap((toleration, index) =>
    validateToleration(toleration, indexPath('spec.tolerations', index)),
  );
}

function validateGateChange(
  gates: readonly JsonObject[],
  before: readonly JsonObject[],
): StatusCause[] {
  const known = new Set(before.map((gate) => textAt(gate, 'name')));
  // A repeated name has one cause, with the index of its last gate.
  const indexes = new Map(gates.map((gate, index) => [textAt(gate, 'name'), index]));
  return [...indexes]
    .filter(([name]) => !known.has(name))
    .map(([name, index]) =>
      forbidden(
        childPath(indexPath('spec.schedulingGates', index), 'name'),
        `only deletion is allowed, but found new scheduling gate '${name}'`,
      ),
    );
}

/** A node selector may become narrower while the pod is gated. */
function validateNodeSelectorChange(spec: JsonObject, before: JsonObject): StatusCause[] {
  if (!isGated(before)) return [];
  const [next, last] = [objectAt(spec, 'nodeSelector'), objectAt(before, 'nodeSelector')];
  if (Object.keys(last).every((key) => next[key] === last[key])) return [];
  const detail = 'only additions to spec.nodeSelector are allowed (no mutations or deletions)';
  return [invalid('spec.nodeSelector', spec.nodeSelector ?? null, detail)];
}

const requiredAffinity = 'requiredDuringSchedulingIgnoredDuringExecution';

/** The required terms for nodes may get further requirements while the pod is gated. */
function validateNodeAffinityChange(spec: JsonObject, before: JsonObject): StatusCause[] {
  if (!isGated(before)) return [];
  const [next, last] = [nodeTermsOf(spec), nodeTermsOf(before)];
  if (last.length === 0) return [];
  const field = `spec.affinity.nodeAffinity.${requiredAffinity}.nodeSelectorTerms`;
  if (next.length !== last.length) {
    const detail = 'no additions/deletions to non-empty NodeSelectorTerms list are allowed';
    return [invalid(field, next.length === 0 ? null : next.map(internalTerm), detail)];
  }
  const detail = 'only additions are allowed (no mutations or deletions)';
  return next.flatMap((term, index) =>
    hasOnlyAdditions(term, last[index] ?? {})
      ? []
      : [invalid(indexPath(field, index), internalTerm(term), detail)],
  );
}

function nodeTermsOf(spec: JsonObject): JsonObject[] {
  const affinity = objectAt(objectAt(spec, 'affinity'), 'nodeAffinity');
  return objectsAt(objectAt(affinity, requiredAffinity), 'nodeSelectorTerms');
}

/** A term without requirements matches no node, so that it cannot get any. */
function hasOnlyAdditions(term: JsonObject, before: JsonObject): boolean {
  const lists = ['matchExpressions', 'matchFields'];
  if (lists.every((list) => objectsAt(before, list).length === 0)) {
    return lists.every((list) => objectsAt(term, list).length === 0);
  }
  return lists.every((list) => {
    const last = objectsAt(before, list);
    return jsonEquals(objectsAt(term, list).slice(0, last.length), last);
  });
}

/** The struct of kube-apiserver that its messages quote. */
function internalTerm(term: JsonObject): object {
  const listOf = (name: string): object[] | null => {
    const list = objectsAt(term, name);
    if (list.length === 0) return null;
    return list.map(({ key, operator, values = null }) => ({
      Key: key,
      Operator: operator,
      Values: values,
    }));
  };
  return { MatchExpressions: listOf('matchExpressions'), MatchFields: listOf('matchFields') };
}

function isGated(spec: JsonObject): boolean {
  return objectsAt(spec, 'schedulingGates').length > 0;
}

const changeable =
  '`spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)';

function validateRest(spec: JsonObject, before: JsonObject): StatusCause[] {
  const ignored = isGated(before) ? ['nodeSelector'] : [];
  if (jsonEquals(fixedPart(spec, before, ignored), fixedPart(before, before, ignored))) return [];
  return [forbidden('spec', `pod updates may not change fields other than ${changeable}`)];
}

function fixedPart(spec: JsonObject, before: JsonObject, ignored: readonly string[]): JsonObject {
  const grace = Number(before.terminationGracePeriodSeconds ?? 0);
  const mayBeOne = grace < 0 && spec.terminationGracePeriodSeconds === 1;
  const fixed = without(
    spec,
    'activeDeadlineSeconds',
    'tolerations',
    'schedulingGates',
    ...ignored,
  );
  if (mayBeOne) fixed.terminationGracePeriodSeconds = grace;
  if (isGated(before)) fixed.affinity = withoutNodes(spec);
  for (const field of ['containers', 'initContainers']) {
    if (fixed[field] === undefined) continue;
    fixed[field] = objectsAt(spec, field).map((container) => without(container, 'image'));
  }
  return fixed;
}

/** The affinity to and from other pods; an affinity without members counts as absent. */
function withoutNodes(spec: JsonObject): JsonObject {
  return without(objectAt(spec, 'affinity'), 'nodeAffinity');
}
