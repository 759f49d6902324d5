import { objectAt, objectsAt, textAt } from '../../json/json-members.ts';
import type { StatusCause } from '@keelson/apimachinery';
import { checkQualifiedName, compareQuantities, nanosOfQuantity } from '@keelson/cel/internal';
import {
  childPath,
  duplicate,
  type FieldPath,
  forbidden,
  indexPath,
  invalid,
  type JsonObject,
  keyPath,
  required,
} from '@keelson/structural-schema';
import {
  isHugePages,
  isNativeResource,
  validateContainerResourceName,
  validateResourceName,
} from '../shared/rules-resource-name.ts';
import type { ValidationRules } from '../../schema/validation-rule.ts';
import { isWhole } from '../shared/whole-units.ts';

const measured = ['cpu', 'memory', 'ephemeral-storage'];
const counted = [
  'pods',
  'resourcequotas',
  'services',
  'replicationcontrollers',
  'secrets',
  'configmaps',
  'persistentvolumeclaims',
  'services.nodeports',
  'services.loadbalancers',
];
const ofPods: ReadonlySet<string> = new Set([
  'pods',
  ...measured,
  ...measured.flatMap((name) => [`requests.${name}`, `limits.${name}`]),
]);
const ofQuotas: ReadonlySet<string> = new Set([...ofPods, ...counted, 'requests.storage']);
const standard: ReadonlySet<string> = new Set([...ofQuotas, 'storage']);

const limitTypes: ReadonlySet<string> = new Set(['Container', 'Pod', 'PersistentVolumeClaim']);
const podScopes: ReadonlySet<string> = new Set([
  'CrossNamespacePodAffinity',
  'NotBestEffort',
  'NotTerminating',
  'PriorityClass',
  'Terminating',
]);
const scopes: ReadonlySet<string> = new Set([...podScopes, 'BestEffort', 'VolumeAttributesClass']);
const existsOnly: ReadonlySet<string> = new Set([
  'BestEffort',
  'CrossNamespacePodAffinity',
  'NotBestEffort',
  'NotTerminating',
  'Terminating',
]);
const conflicts = [
  ['BestEffort', 'NotBestEffort'],
  ['Terminating', 'NotTerminating'],
] as const;

/** Validation rules of LimitRanges and ResourceQuotas. */
export const limitRules: ValidationRules = {
  'core.v1.LimitRangeSpec': (spec, path) => {
    const items = objectsAt(spec, 'limits');
    return items.flatMap((item, index) => {
      const at = indexPath(childPath(path, 'limits'), index);
      const isSecond = items.slice(0, index).some(({ type }) => type === item.type);
      const twice = isSecond ? [duplicate(childPath(at, 'type'), item.type)] : [];
      return [...limitType(item, at), ...twice, ...limitRange(item, at)];
    });
  },
  'core.v1.ResourceQuotaSpec': (spec, path) => [
    ...Object.keys(objectAt(spec, 'hard')).flatMap((name) =>
      hardLimit(name, textAt(objectAt(spec, 'hard'), name), keyPath(childPath(path, 'hard'), name)),
    ),
    ...quotaScopes(spec, path),
    ...scopeSelector(spec, childPath(path, 'scopeSelector.matchExpressions')),
  ],
};

function limitType(item: JsonObject, path: FieldPath): StatusCause[] {
  const type = textAt(item, 'type');
  const at = childPath(path, 'type');
  const problems = checkQualifiedName(type);
  if (problems.length > 0) return problems.map((detail) => invalid(at, type, detail));
  if (type.includes('/') || limitTypes.has(type)) return [];
  return [invalid(at, type, 'must be a standard limit type or fully qualified')];
}

const quantities = ['max', 'min', 'default', 'defaultRequest', 'maxLimitRequestRatio'];

function limitRange(item: JsonObject, path: FieldPath): StatusCause[] {
  const misplaced = item.type === 'Pod' ? ['default', 'defaultRequest'] : [];
  const storage = ['min', 'max'].some((side) => objectAt(item, side).storage !== undefined);
  const needsStorage = item.type === 'PersistentVolumeClaim' && !storage;
  const names = quantities
    .filter((member) => !misplaced.includes(member))
    .flatMap((member) => Object.keys(objectAt(item, member)));
  const missing = 'either minimum or maximum storage value is required, but neither was provided';
  return [
    ...quantities.flatMap((member) =>
      misplaced.includes(member) ? ofPodOnly(item, member, path) : limitNames(item, member, path),
    ),
    ...(needsStorage ? [required(childPath(path, 'limits'), missing)] : []),
    ...[...new Set(names)].flatMap((name) => [
      ...limitOrder(item, name, path),
      ...limitRatio(item, name, path),
      ...limitEquality(item, name, path),
    ]),
  ];
}

function ofPodOnly(item: JsonObject, member: string, path: FieldPath): StatusCause[] {
  if (Object.keys(objectAt(item, member)).length === 0) return [];
  return [forbidden(childPath(path, member), "may not be specified when `type` is 'Pod'")];
}

/** Containers and pods have fewer resources than other types. */
function limitNames(item: JsonObject, member: string, path: FieldPath): StatusCause[] {
  const isContainer = item.type === 'Container' || item.type === 'Pod';
  const check = isContainer ? validateContainerResourceName : validateResourceName;
  return Object.keys(objectAt(item, member)).flatMap((name) =>
    check(name, keyPath(childPath(path, member), name)),
  );
}

/** The default of a resource that cannot be overcommitted is its default request. */
function limitEquality(item: JsonObject, name: string, path: FieldPath): StatusCause[] {
  const [limit, request] = [
    textAt(objectAt(item, 'default'), name),
    textAt(objectAt(item, 'defaultRequest'), name),
  ];
  const isShared = isNativeResource(name) && !isHugePages(name);
  if (isShared || limit === '' || request === '') return [];
  if (compareQuantities(limit, request) === 0) return [];
  const at = keyPath(childPath(path, 'defaultRequest'), name);
  const detail = `default value ${limit} must equal to defaultRequest value ${request} in ${name}`;
  return [invalid(at, request, detail)];
}

/** The pairs of `min ≤ defaultRequest ≤ default ≤ max` that may conflict, each with its message. */
const ordered = [
  ['min', 'max', 'min', 'min', 'min value', 'max value'],
  [
    'min',
    'defaultRequest',
    'defaultRequest',
    'defaultRequest',
    'min value',
    'default request value',
  ],
  [
    'defaultRequest',
    'max',
    'defaultRequest',
    'defaultRequest',
    'default request value',
    'max value',
  ],
  [
    'defaultRequest',
    'default',
    'defaultRequest',
    'defaultRequest',
    'default request value',
    'default limit value',
  ],
  ['min', 'default', 'default', 'min', 'min value', 'default value'],
  ['default', 'max', 'default', 'max', 'default value', 'max value'],
] as const;

function limitOrder(item: JsonObject, name: string, path: FieldPath): StatusCause[] {
  return ordered.flatMap(([less, more, field, shown, lessTitle, moreTitle]) => {
    const [one, other] = [textAt(objectAt(item, less), name), textAt(objectAt(item, more), name)];
    if (one === '' || other === '' || compareQuantities(one, other) <= 0) return [];
    const at = keyPath(childPath(path, field), name);
    const value = textAt(objectAt(item, shown), name);
    return [invalid(at, value, `${lessTitle} ${one} is greater than ${moreTitle} ${other}`)];
  });
}

function limitRatio(item: JsonObject, name: string, path: FieldPath): StatusCause[] {
  const ratio = textAt(objectAt(item, 'maxLimitRequestRatio'), name);
  if (ratio === '') return [];
  const at = keyPath(childPath(path, 'maxLimitRequestRatio'), name);
  const [min, max] = [textAt(objectAt(item, 'min'), name), textAt(objectAt(item, 'max'), name)];
  const most = Number(nanosOfQuantity(max) ?? 0n) / Number(nanosOfQuantity(min) ?? 0n);
  const isBeyond = Number(nanosOfQuantity(ratio) ?? 0n) / 1e9 > most;
  return [
    ...(compareQuantities(ratio, '1') < 0
      ? [invalid(at, ratio, `ratio ${ratio} is less than 1`)]
      : []),
    ...(min !== '' && max !== '' && isBeyond
      ? [invalid(at, ratio, `ratio ${ratio} is greater than max/min = ${most.toFixed(6)}`)]
      : []),
  ];
}

function hardLimit(name: string, value: string, path: FieldPath): StatusCause[] {
  return [
    ...quotaName(name, path),
    ...(compareQuantities(value, '0') < 0
      ? [invalid(path, value, 'must be greater than or equal to 0')]
      : []),
    ...(counted.includes(name) && !isWhole(value)
      ? [invalid(path, value, 'must be an integer')]
      : []),
  ];
}

function quotaName(name: string, path: FieldPath): StatusCause[] {
  const problems = checkQualifiedName(name);
  const details = name.includes('/')
    ? problems
    : [
        ...(problems.length > 0 || standard.has(name)
          ? problems
          : ['must be a standard resource type or fully qualified']),
        ...(ofQuotas.has(name) || name.startsWith('requests.hugepages-')
          ? []
          : ['must be a standard resource for quota']),
      ];
  return details.map((detail) => invalid(path, name, detail));
}

function quotaScopes(spec: JsonObject, path: FieldPath): StatusCause[] {
  const named = Array.isArray(spec.scopes)
    ? spec.scopes.filter((scope) => typeof scope === 'string')
    : [];
  const problems = [
    ...named.flatMap((scope) => [
      ...(scopes.has(scope) ? [] : ['unsupported scope']),
      ...unsupportedResources(scope, spec).map(() => 'unsupported scope applied to resource'),
    ]),
    ...contradictions(named),
  ];
  return problems.map((detail) => invalid(childPath(path, 'scopes'), named, detail));
}

function contradictions(named: readonly string[]): string[] {
  const found = conflicts.filter((pair) => pair.every((scope) => named.includes(scope)));
  return found.map(() => 'conflicting scopes');
}

/** The standard resources of a quota to which a scope cannot apply. */
function unsupportedResources(scope: string, spec: JsonObject): string[] {
  const names = Object.keys(objectAt(spec, 'hard')).filter((name) => ofQuotas.has(name));
  if (podScopes.has(scope)) return names.filter((name) => !ofPods.has(name));
  if (scope === 'BestEffort') return names.filter((name) => name !== 'pods');
  if (scope !== 'VolumeAttributesClass') return [];
  return names.filter((name) => name !== 'persistentvolumeclaims' && name !== 'requests.storage');
}

function scopeSelector(spec: JsonObject, path: FieldPath): StatusCause[] {
  const selector = objectAt(spec, 'scopeSelector');
  const expressions = objectsAt(selector, 'matchExpressions');
  const named = expressions.map((each) => textAt(each, 'scopeName'));
  return [
    ...expressions.flatMap((each) => [
      ...scopeExpression(each, path),
      ...unsupportedResources(textAt(each, 'scopeName'), spec).map(() =>
        invalid(path, selector, 'unsupported scope applied to resource'),
      ),
    ]),
    ...contradictions(named).map((detail) => invalid(path, spec.scopes, detail)),
  ];
}

const existsRequired =
  "must be 'Exists' when scope is any of ResourceQuotaScopeTerminating, ResourceQuotaScopeNotTerminating, ResourceQuotaScopeBestEffort, ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity";

function scopeExpression(expression: JsonObject, path: FieldPath): StatusCause[] {
  const [scope, operator] = [textAt(expression, 'scopeName'), textAt(expression, 'operator')];
  const count = Array.isArray(expression.values) ? expression.values.length : 0;
  const causes: StatusCause[] = [];
  const at = (member: string): FieldPath => childPath(path, member);
  if (!scopes.has(scope)) causes.push(invalid(at('scopeName'), scope, 'unsupported scope'));
  if (existsOnly.has(scope) && operator !== 'Exists') {
    causes.push(invalid(at('operator'), operator, existsRequired));
  }
  if (/^(Not)?In$/.test(operator) && count === 0) {
    const detail =
      "must be at least one value when `operator` is 'In' or 'NotIn' for scope selector";
    causes.push(required(at('values'), detail));
  }
  if (/^(DoesNotExist|Exists)$/.test(operator) && count > 0) {
    const detail =
      "must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector";
    causes.push(invalid(at('values'), expression.values, detail));
  }
  if (!/^((Not)?In|(DoesNot)?Exists?)$/.test(operator)) {
    causes.push(invalid(at('operator'), operator, 'not a valid selector operator'));
  }
  return causes;
}
