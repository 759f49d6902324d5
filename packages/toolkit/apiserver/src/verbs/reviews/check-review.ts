import type { StatusCause } from '@keelson/apimachinery';
import {
  childPath,
  type FieldPath,
  forbidden,
  indexPath,
  invalid,
  isJsonObject,
  type JsonObject,
  required,
} from '@keelson/structural-schema';
import { objectAt, objectsAt, textAt, textsAt } from '../../json/json-members.ts';
import { validateExpression } from '../../kinds/shared/rules-selector.ts';
import type { ServedResource } from '../../resources/served-resource.ts';
import { badRequest, invalid as invalidObject } from '../../status-errors/status-errors.ts';
import type { ApiObject } from '../../storage/api-object.ts';
import { orderedMetadata } from '../../storage/metadata-order.ts';

/** Refuses a review whose spec lacks its subject or token, and an access review that is invalid. */
export function checkReview(resource: ServedResource, review: ApiObject): void {
  const spec = objectAt(review as JsonObject, 'spec');
  const { plural, group } = resource.facts;
  if (plural === 'tokenreviews' && !spec['token']) {
    throw badRequest('token is required for TokenReview in authentication');
  }
  if (plural === 'selfsubjectrulesreviews' && !spec['namespace']) {
    throw badRequest('no namespace on request');
  }
  if (!plural.endsWith('accessreviews')) return;
  const causes = [
    ...attributeCauses(spec),
    ...(plural === 'selfsubjectaccessreviews' ? [] : subjectCauses(spec)),
    ...selectorCauses(spec),
    ...metadataCauses(resource, review),
    ...(plural === 'localsubjectaccessreviews' ? localCauses(spec, review) : []),
  ];
  if (causes.length > 0) throw invalidObject({ group, kind: '', name: '' }, causes);
}

/** A review has either the attributes of a resource or a path. */
function attributeCauses(spec: JsonObject): StatusCause[] {
  const { resourceAttributes, nonResourceAttributes } = spec;
  if (isJsonObject(resourceAttributes) && isJsonObject(nonResourceAttributes)) {
    return [pathCause(spec, 'cannot be specified in combination with resourceAttributes')];
  }
  if (resourceAttributes || nonResourceAttributes) return [];
  const why = 'exactly one of nonResourceAttributes or resourceAttributes must be specified';
  return [invalid('spec.resourceAttributes', null, why)];
}

function subjectCauses(spec: JsonObject): StatusCause[] {
  if (spec['user'] || textsAt(spec, 'groups').length > 0) return [];
  return [invalid('spec.user', '', 'at least one of user or group must be specified')];
}

/** The selectors by which a review restricts a list, those of fields first. */
function selectorCauses(spec: JsonObject): StatusCause[] {
  const attributes = objectAt(spec, 'resourceAttributes');
  return (['fieldSelector', 'labelSelector'] as const).flatMap((name) => {
    const selector = attributes[name];
    if (!isJsonObject(selector)) return [];
    return oneSelectorCauses(selector, `spec.resourceAttributes.${name}`, requirementRules[name]);
  });
}

type RequirementRule = (requirement: JsonObject, path: FieldPath) => StatusCause[];

/** Unknown operators are valid. The requirement is ignored, which the status reports as `evaluationError`. */
const requirementRules: Readonly<Record<'fieldSelector' | 'labelSelector', RequirementRule>> = {
  fieldSelector: validateFieldRequirement,
  labelSelector: (requirement, path) =>
    validateExpression(requirement, path).filter(
      ({ field }) => field !== childPath(path, 'operator'),
    ),
};

function oneSelectorCauses(
  selector: JsonObject,
  path: FieldPath,
  rule: RequirementRule,
): StatusCause[] {
  const raw = textAt(selector, 'rawSelector');
  const requirements = objectsAt(selector, 'requirements');
  const list = childPath(path, 'requirements');
  if (raw !== '' && requirements.length > 0) {
    const why = 'may not specified at the same time as requirements';
    return [invalid(childPath(path, 'rawSelector'), raw, why)];
  }
  if (raw === '' && requirements.length === 0) {
    return [required(list, `when ${path} is specified, requirements or rawSelector is required`)];
  }
  return requirements.flatMap((requirement, index) => rule(requirement, indexPath(list, index)));
}

function validateFieldRequirement(requirement: JsonObject, path: FieldPath): StatusCause[] {
  const field = childPath(path, 'values');
  const operator = textAt(requirement, 'operator');
  const count = textsAt(requirement, 'values').length;
  const causes: StatusCause[] = [];
  if (textAt(requirement, 'key') === '') {
    causes.push(required(childPath(path, 'key'), 'must be specified'));
  }
  if ((operator === 'In' || operator === 'NotIn') && count === 0) {
    causes.push(required(field, "must be specified when `operator` is 'In' or 'NotIn'"));
  }
  if ((operator === 'Exists' || operator === 'DoesNotExist') && count > 0) {
    const why = "may not be specified when `operator` is 'Exists' or 'DoesNotExist'";
    causes.push(forbidden(field, why));
  }
  return causes;
}

/** An access review has no metadata but the namespace of a local one, and its owners. */
function metadataCauses({ facts }: ServedResource, { metadata }: ApiObject): StatusCause[] {
  const ignored = new Set(['managedFields', ...(facts.namespaced ? ['namespace'] : [])]);
  if (Object.keys(metadata).every((name) => ignored.has(name))) return [];
  const { managedFields } = metadata;
  const shown = { ...orderedMetadata(metadata), ...(managedFields && { managedFields }) };
  const why = facts.namespaced ? 'must be empty except for namespace' : 'must be empty';
  return [invalid('metadata', shown, why)];
}

/** A local review is about a resource in the namespace of its URL. */
function localCauses(spec: JsonObject, { metadata }: ApiObject): StatusCause[] {
  const { resourceAttributes, nonResourceAttributes } = spec;
  const causes: StatusCause[] = [];
  if (isJsonObject(resourceAttributes)) {
    const namespace = textAt(resourceAttributes, 'namespace');
    if (namespace !== metadata.namespace) {
      const field = 'spec.resourceAttributes.namespace';
      causes.push(invalid(field, namespace, 'must match metadata.namespace'));
    }
  }
  if (isJsonObject(nonResourceAttributes)) {
    causes.push(pathCause(spec, 'disallowed on this kind of request'));
  }
  return causes;
}

/** The cause for the path of a review, which is quoted as a struct of Go. */
function pathCause(spec: JsonObject, why: string): StatusCause {
  const path = objectAt(spec, 'nonResourceAttributes');
  const shown = { Path: textAt(path, 'path'), Verb: textAt(path, 'verb') };
  return invalid('spec.nonResourceAttributes', shown, why);
}
