import type { StatusCause } from '@keelson/apimachinery';
import {
  childPath,
  type FieldPath,
  indexPath,
  type JsonObject,
  notSupported,
  required,
  tooMany,
} from '@keelson/structural-schema';
import { objectAt, objectsAt, textAt } from '../../json/json-members.ts';

const policies = ['Always', 'Never', 'OnFailure'];
const actions = ['Restart', 'RestartAllContainers'];
const operators = ['In', 'NotIn'];

const MAX_RULES = 20;
const MAX_EXIT_CODES = 255;

/** Validates when a container is restarted. Rules extend a policy, which must be set then. */
export function validateRestart(container: JsonObject, path: FieldPath): StatusCause[] {
  const field = childPath(path, 'restartPolicy');
  const rules = objectsAt(container, 'restartPolicyRules');
  const policy = container.restartPolicy;
  const place = childPath(path, 'restartPolicyRules');
  const missing = 'must specify restartPolicy when restart rules are used';
  return [
    ...(policy === undefined && rules.length > 0 ? [required(field, missing)] : []),
    ...(typeof policy === 'string' && !policies.includes(policy)
      ? [notSupported(field, policy, policies)]
      : []),
    ...(rules.length > MAX_RULES ? [tooMany(place, rules.length, MAX_RULES)] : []),
    ...rules.flatMap((rule, index) => validateRule(rule, indexPath(place, index))),
  ];
}

function validateRule(rule: JsonObject, path: FieldPath): StatusCause[] {
  const action = textAt(rule, 'action');
  const unknown = actions.includes(action)
    ? []
    : [notSupported(childPath(path, 'action'), action, actions)];
  const field = childPath(path, 'exitCodes');
  if (rule.exitCodes === undefined) return [...unknown, required(field, 'must be specified')];
  const codes = objectAt(rule, 'exitCodes');
  const operator = textAt(codes, 'operator');
  const { length } = Array.isArray(codes.values) ? codes.values : [];
  return [
    ...unknown,
    ...(operators.includes(operator)
      ? []
      : [notSupported(childPath(field, 'operator'), operator, operators)]),
    ...(length > MAX_EXIT_CODES
      ? [tooMany(childPath(field, 'values'), length, MAX_EXIT_CODES)]
      : []),
  ];
}
