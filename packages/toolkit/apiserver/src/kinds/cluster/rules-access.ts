import { objectAt, objectsAt, textAt } from '../../json/json-members.ts';
import type { StatusCause } from '@keelson/apimachinery';
import { checkPathSegment, checkSubdomain } from '@keelson/cel/internal';
import {
  childPath,
  type FieldPath,
  indexPath,
  invalid,
  type JsonObject,
  notSupported,
  required,
} from '@keelson/structural-schema';
import { type ValidationRules, validName } from '../../schema/validation-rule.ts';
import { isSelector, validateLabelSelector } from '../shared/rules-selector.ts';

const group = 'rbac.authorization.k8s.io';

/** Validation rules of roles and bindings. */
export const accessRules: ValidationRules = {
  'rbac.v1.RoleBinding': (binding) => validateBinding(binding, ['Role', 'ClusterRole']),
  'rbac.v1.ClusterRoleBinding': (binding) => validateBinding(binding, ['ClusterRole']),
  'rbac.v1.Role': (role) =>
    objectsAt(role, 'rules').flatMap((rule, index) =>
      isEmpty(rule, 'nonResourceURLs')
        ? []
        : [
            invalid(
              childPath(indexPath('rules', index), 'nonResourceURLs'),
              rule.nonResourceURLs,
              'namespaced rules cannot apply to non-resource URLs',
            ),
          ],
    ),
  'rbac.v1.ClusterRole': validateAggregation,
  'rbac.v1.PolicyRule': validateRule,
};

function validateAggregation(role: JsonObject): StatusCause[] {
  if (role.aggregationRule === undefined) return [];
  const path = 'aggregationRule.clusterRoleSelectors';
  const selectors = objectsAt(objectAt(role, 'aggregationRule'), 'clusterRoleSelectors');
  if (selectors.length === 0) {
    const detail = 'at least one clusterRoleSelector required if aggregationRule is non-nil';
    return [required(path, detail)];
  }
  return selectors.flatMap((selector, index) => {
    const at = indexPath(path, index);
    return [
      ...validateLabelSelector(selector, at),
      // kube-apiserver prints the selector that it could not build.
      ...(isSelector(selector) ? [] : [invalid(at, null, 'invalid label selector.')]),
    ];
  });
}

function validateRule(rule: JsonObject, path: FieldPath): StatusCause[] {
  const verbs = isEmpty(rule, 'verbs')
    ? [required(childPath(path, 'verbs'), 'verbs must contain at least one value')]
    : [];
  if (!isEmpty(rule, 'nonResourceURLs')) return [...verbs, ...validatePaths(rule, path)];
  return [
    ...verbs,
    ...(isEmpty(rule, 'apiGroups')
      ? [
          required(
            childPath(path, 'apiGroups'),
            'resource rules must supply at least one api group',
          ),
        ]
      : []),
    ...(isEmpty(rule, 'resources')
      ? [required(childPath(path, 'resources'), 'resource rules must supply at least one resource')]
      : []),
  ];
}

function validatePaths(rule: JsonObject, path: FieldPath): StatusCause[] {
  const isBoth = ['apiGroups', 'resources', 'resourceNames'].some((name) => !isEmpty(rule, name));
  if (!isBoth) return [];
  const detail = 'rules cannot apply to both regular resources and non-resource URLs';
  return [invalid(childPath(path, 'nonResourceURLs'), rule.nonResourceURLs, detail)];
}

function isEmpty(rule: JsonObject, name: string): boolean {
  const list = rule[name];
  return !Array.isArray(list) || list.length === 0;
}

function validateBinding(binding: JsonObject, kinds: string[]): StatusCause[] {
  const role = objectAt(binding, 'roleRef');
  const isNamespaced = kinds.includes('Role');
  return [
    ...(role.apiGroup === group
      ? []
      : [notSupported('roleRef.apiGroup', role.apiGroup ?? '', [group])]),
    ...(kinds.includes(textAt(role, 'kind'))
      ? []
      : [notSupported('roleRef.kind', role.kind ?? '', kinds)]),
    ...validName(checkPathSegment, role.name, 'roleRef.name'),
    ...objectsAt(binding, 'subjects').flatMap((subject, index) =>
      validateSubject(subject, isNamespaced, indexPath('subjects', index)),
    ),
  ];
}

const subjectKinds = ['ServiceAccount', 'User', 'Group'];

function validateSubject(
  subject: JsonObject,
  isNamespaced: boolean,
  path: FieldPath,
): StatusCause[] {
  const { kind, apiGroup = '' } = subject;
  const [name, field] = [textAt(subject, 'name'), childPath(path, 'name')];
  const isAccount = kind === 'ServiceAccount';
  const wanted = isAccount ? '' : group;
  const missing = name === '' ? [required(field)] : [];
  if (!isAccount && kind !== 'User' && kind !== 'Group') {
    return [...missing, notSupported(childPath(path, 'kind'), kind ?? '', subjectKinds)];
  }
  return [
    ...missing,
    ...(isAccount ? validName(checkSubdomain, name, field) : []),
    ...(apiGroup === wanted ? [] : [notSupported(childPath(path, 'apiGroup'), apiGroup, [wanted])]),
    ...(isAccount && !isNamespaced && textAt(subject, 'namespace') === ''
      ? [required(childPath(path, 'namespace'))]
      : []),
  ];
}
