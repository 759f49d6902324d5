import type { StatusCause } from '@keelson/apimachinery';
import {
  checkDnsLabel,
  checkLabelValue,
  checkQualifiedName,
  checkSubdomain,
} from '@keelson/cel/internal';
import {
  childPath,
  duplicate,
  type FieldPath,
  forbidden,
  indexPath,
  invalid,
  type JsonObject,
  isJsonObject,
  notSupported,
  required,
} from '@keelson/structural-schema';
import { objectAt, objectsAt, textAt, textsAt } from '../../json/json-members.ts';
import type { OrderedRule, OrderedRules } from '../../schema/validation-rule.ts';
import { validateLabelSelector } from '../shared/rules-selector.ts';

const requiredFirst: OrderedRule = (_affinity, _path, fields) => [
  ...fields.validate('requiredDuringSchedulingIgnoredDuringExecution'),
  ...fields.others(),
];

/** Ordered rules of the structs that decide where a pod can run. */
export const placementOrders: OrderedRules = {
  'core.v1.NodeAffinity': requiredFirst,
  'core.v1.PodAffinity': requiredFirst,
  'core.v1.PodAntiAffinity': requiredFirst,
  'core.v1.NodeSelector': validateNodeSelector,
  'core.v1.PreferredSchedulingTerm': (term, path) => [
    ...validateWeight(term, path),
    ...validateTerm(objectAt(term, 'preference'), childPath(path, 'preference'), false),
  ],
  'core.v1.WeightedPodAffinityTerm': (term, path, fields) => [
    ...validateWeight(term, path),
    ...fields.validate('podAffinityTerm'),
  ],
  'core.v1.PodAffinityTerm': validatePodTerm,
  'core.v1.TopologySpreadConstraint': validateSpread,
  'core.v1.Toleration': validateToleration,
};

/** Validates a selector of nodes, which has at least one term. */
export function validateNodeSelector(selector: JsonObject, path: FieldPath): StatusCause[] {
  const terms = objectsAt(selector, 'nodeSelectorTerms');
  const field = childPath(path, 'nodeSelectorTerms');
  if (terms.length === 0) return [required(field, 'must have at least one node selector term')];
  return terms.flatMap((term, index) => validateTerm(term, indexPath(field, index), true));
}

function validateWeight(term: JsonObject, path: FieldPath): StatusCause[] {
  const weight = Number(term.weight ?? 0);
  if (weight >= 1 && weight <= 100) return [];
  return [invalid(childPath(path, 'weight'), weight, 'must be in the range 1-100')];
}

/** Validates a term of a node selector. A preferred term may have values that no label can have. */
function validateTerm(term: JsonObject, path: FieldPath, checksValues: boolean): StatusCause[] {
  const [labels, fields] = [childPath(path, 'matchExpressions'), childPath(path, 'matchFields')];
  return [
    ...objectsAt(term, 'matchExpressions').flatMap((requirement, index) =>
      validateRequirement(requirement, indexPath(labels, index), checksValues),
    ),
    ...objectsAt(term, 'matchFields').flatMap((requirement, index) =>
      validateFieldRequirement(requirement, indexPath(fields, index)),
    ),
  ];
}

function validateRequirement(
  requirement: JsonObject,
  path: FieldPath,
  checksValues: boolean,
): StatusCause[] {
  const key = textAt(requirement, 'key');
  const values = checksValues ? textsAt(requirement, 'values') : [];
  return [
    ...validateOperator(requirement, path),
    ...checkQualifiedName(key).map((detail) => invalid(childPath(path, 'key'), key, detail)),
    ...values.flatMap((value, index) =>
      checkLabelValue(value).map((detail) =>
        invalid(indexPath(childPath(path, 'values'), index), value, detail),
      ),
    ),
  ];
}

function validateOperator(requirement: JsonObject, path: FieldPath): StatusCause[] {
  const field = childPath(path, 'values');
  const { length } = textsAt(requirement, 'values');
  const operator = textAt(requirement, 'operator');
  switch (operator) {
    case 'In':
    case 'NotIn':
      if (length > 0) return [];
      return [required(field, "must be specified when `operator` is 'In' or 'NotIn'")];
    case 'Exists':
    case 'DoesNotExist':
      if (length === 0) return [];
      return [
        forbidden(field, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"),
      ];
    case 'Gt':
    case 'Lt':
      if (length === 1) return [];
      return [required(field, "must be specified single value when `operator` is 'Lt' or 'Gt'")];
    default:
      return [invalid(childPath(path, 'operator'), operator, 'not a valid selector operator')];
  }
}

/** The only field of a node that a term can name is the name of the node. */
function validateFieldRequirement(requirement: JsonObject, path: FieldPath): StatusCause[] {
  const [key, operator] = [textAt(requirement, 'key'), textAt(requirement, 'operator')];
  const values = textsAt(requirement, 'values');
  const field = childPath(path, 'values');
  const isKnown = operator === 'In' || operator === 'NotIn';
  const oneValue =
    "must be only one value when `operator` is 'In' or 'NotIn' for node field selector";
  return [
    ...(isKnown
      ? []
      : [invalid(childPath(path, 'operator'), operator, 'not a valid selector operator')]),
    ...(isKnown && values.length !== 1 ? [required(field, oneValue)] : []),
    ...(key === 'metadata.name'
      ? values.flatMap((value, index) =>
          checkSubdomain(value).map((detail) => invalid(indexPath(field, index), value, detail)),
        )
      : [invalid(childPath(path, 'key'), key, 'not a valid field selector key')]),
  ];
}

function validatePodTerm(term: JsonObject, path: FieldPath): StatusCause[] {
  const key = textAt(term, 'topologyKey');
  const field = childPath(path, 'topologyKey');
  return [
    ...['labelSelector', 'namespaceSelector'].flatMap((name) =>
      validateLabelSelector(objectAt(term, name), childPath(path, name)),
    ),
    ...textsAt(term, 'namespaces').flatMap((name) =>
      checkDnsLabel(name).map((detail) => invalid(childPath(path, 'namespace'), name, detail)),
    ),
    ...validateLabelKeys(term, path),
    ...(key === '' ? [required(field, 'can not be empty')] : []),
    ...checkQualifiedName(key).map((detail) => invalid(field, key, detail)),
  ];
}

/** Validates the keys whose values of the pod extend the selector. */
function validateLabelKeys(term: JsonObject, path: FieldPath): StatusCause[] {
  const mismatched = textsAt(term, 'mismatchLabelKeys');
  const field = childPath(path, 'matchLabelKeys');
  const both = 'exists in both matchLabelKeys and mismatchLabelKeys';
  return [
    ...['matchLabelKeys', 'mismatchLabelKeys'].flatMap((name) =>
      validateKeyNames(textsAt(term, name), childPath(path, name), term.labelSelector),
    ),
    ...repeatedInSelector(term, path),
    ...textsAt(term, 'matchLabelKeys').flatMap((key, index) =>
      mismatched.includes(key) ? [invalid(indexPath(field, index), key, both)] : [],
    ),
  ];
}

function validateKeyNames(
  keys: readonly string[],
  path: FieldPath,
  selector: unknown,
): StatusCause[] {
  if (keys.length > 0 && !isJsonObject(selector)) {
    return [forbidden(path, 'must not be specified when labelSelector is not set')];
  }
  return keys.flatMap((key, index) =>
    checkQualifiedName(key).map((detail) => invalid(indexPath(path, index), key, detail)),
  );
}

/** The server adds an expression for each key, so that a second one is of the user. kube-apiserver leaves out the field. */
function repeatedInSelector(term: JsonObject, path: FieldPath): StatusCause[] {
  const keys = textsAt(term, 'matchLabelKeys');
  const selector = objectAt(term, 'labelSelector');
  const taken = new Set(Object.keys(objectAt(selector, 'matchLabels')));
  return objectsAt(selector, 'matchExpressions').flatMap((expression) => {
    const key = textAt(expression, 'key');
    const isRepeated = taken.has(key) && keys.includes(key);
    taken.add(key);
    if (!isRepeated) return [];
    const detail = 'exists in both matchLabelKeys and labelSelector';
    return [invalid(indexPath(path, keys.lastIndexOf(key)), key, detail)];
  });
}

const positive = 'must be greater than zero';

function validateSpread(constraint: JsonObject, path: FieldPath): StatusCause[] {
  const action = textAt(constraint, 'whenUnsatisfiable');
  const { maxSkew = 0 } = constraint;
  const actions = ['DoNotSchedule', 'ScheduleAnyway'];
  return [
    ...(Number(maxSkew) > 0 ? [] : [invalid(childPath(path, 'maxSkew'), maxSkew, positive)]),
    ...(textAt(constraint, 'topologyKey') === ''
      ? [required(childPath(path, 'topologyKey'), 'can not be empty')]
      : []),
    ...(actions.includes(action)
      ? []
      : [notSupported(childPath(path, 'whenUnsatisfiable'), action, actions)]),
    ...validateMinDomains(constraint, childPath(path, 'minDomains')),
    ...['nodeAffinityPolicy', 'nodeTaintsPolicy'].flatMap((name) => {
      const policy = constraint[name];
      const isKnown = policy === undefined || policy === 'Honor' || policy === 'Ignore';
      return isKnown ? [] : [notSupported(childPath(path, name), policy, ['Honor', 'Ignore'])];
    }),
    ...validateLabelKeys({ ...constraint, mismatchLabelKeys: [] }, path),
    ...validateLabelSelector(
      objectAt(constraint, 'labelSelector'),
      childPath(path, 'labelSelector'),
    ),
  ];
}

function validateMinDomains(constraint: JsonObject, path: FieldPath): StatusCause[] {
  const { minDomains } = constraint;
  if (minDomains === undefined) return [];
  const action = textAt(constraint, 'whenUnsatisfiable');
  const detail = `can only use minDomains if whenUnsatisfiable=DoNotSchedule, not ${action}`;
  return [
    ...(Number(minDomains) > 0 ? [] : [invalid(path, minDomains, positive)]),
    ...(action === 'DoNotSchedule' ? [] : [invalid(path, minDomains, detail)]),
  ];
}

/** Rejects constraints that a later one repeats. */
export function repeatedConstraints(spec: JsonObject, path: FieldPath): StatusCause[] {
  const texts = objectsAt(spec, 'topologySpreadConstraints').map(
    (one) => `{${textAt(one, 'topologyKey')}, ${textAt(one, 'whenUnsatisfiable')}}`,
  );
  return texts.flatMap((text, index) => {
    const place = indexPath(childPath(path, 'topologySpreadConstraints'), index);
    return texts.lastIndexOf(text) > index
      ? [duplicate(childPath(place, '{topologyKey, whenUnsatisfiable}'), text)]
      : [];
  });
}

const taintEffects = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'];

/** Validates a toleration. An update of a pod does so twice, as in kube-apiserver. */
export function validateToleration(toleration: JsonObject, path: FieldPath): StatusCause[] {
  const [key, operator] = [textAt(toleration, 'key'), textAt(toleration, 'operator')];
  const effect = textAt(toleration, 'effect');
  const any =
    'operator must be Exists when `key` is empty, which means "match all values and all keys"';
  const timed = "effect must be 'NoExecute' when `tolerationSeconds` is set";
  return [
    ...(key === ''
      ? []
      : checkQualifiedName(key).map((detail) => invalid(childPath(path, 'key'), key, detail))),
    ...(key === '' && operator !== 'Exists'
      ? [invalid(childPath(path, 'operator'), operator, any)]
      : []),
    ...(toleration.tolerationSeconds !== undefined && effect !== 'NoExecute'
      ? [invalid(childPath(path, 'effect'), effect, timed)]
      : []),
    ...validateTolerated(operator, textAt(toleration, 'value'), childPath(path, 'operator')),
    ...(effect === '' || taintEffects.includes(effect)
      ? []
      : [notSupported(childPath(path, 'effect'), effect, taintEffects)]),
  ];
}

function validateTolerated(operator: string, value: string, path: FieldPath): StatusCause[] {
  switch (operator) {
    case '':
    case 'Equal': {
      const details = checkLabelValue(value);
      return details.length === 0 ? [] : [invalid(path, value, details.join(';'))];
    }
    case 'Exists':
      if (value === '') return [];
      return [invalid(path, value, "value must be empty when `operator` is 'Exists'")];
    case 'Lt':
    case 'Gt':
      // The gate TaintTolerationComparisonOperators, which allows them, is off by default.
      return [notSupported(path, operator, ['Equal', 'Exists', 'Lt', 'Gt'])];
    default:
      return [notSupported(path, operator, ['Equal', 'Exists'])];
  }
}
