import {
  checkFunction,
  checkMethods,
  checkOptions,
  invalidOption,
  isDnsSubdomain,
  labelRequirementsOf,
  type ApiResource,
  type LabelSelector,
} from '@keelson/apimachinery';
import { isRecord } from './json-value.ts';
import { operations, type Operation } from './operation.ts';
import type { MatchCondition, WebhookOptions } from './webhook-options.ts';

const optionNames = [
  'name',
  'resource',
  'kind',
  'operations',
  'validate',
  'mutate',
  'subresource',
  'scope',
  'path',
  'timeoutSeconds',
  'failurePolicy',
  'sideEffects',
  'matchPolicy',
  'matchConditions',
  'namespaceSelector',
  'objectSelector',
  'reinvocationPolicy',
] as const satisfies readonly (keyof WebhookOptions)[];

/** Names of controller-runtime and of configurations, with the option to use instead. */
const mistakes = {
  for: 'use `resource`',
  rules: 'use `resource` and `operations`',
  defaulter: 'use `mutate`',
  validator: 'use `validate`',
  handler: 'use `validate` or `mutate`',
  timeout: 'use `timeoutSeconds`',
  verbs: 'use `operations`',
} as const;

/** The options that have one of a few values. */
const choices = {
  scope: ['Cluster', 'Namespaced', '*'],
  failurePolicy: ['Fail', 'Ignore'],
  sideEffects: ['None', 'NoneOnDryRun'],
  matchPolicy: ['Exact', 'Equivalent'],
  reinvocationPolicy: ['Never', 'IfNeeded'],
} as const;

/** A name of up to 63 characters. */
const QUALIFIED_NAME = /^[A-Za-z0-9](?:[-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/;

/** The most match conditions that the API server accepts. */
const MAX_MATCH_CONDITIONS = 64;

/** A checked webhook with its defaults. */
export interface CheckedWebhook {
  readonly name: string;
  readonly type: 'validating' | 'mutating';
  /** The kinds; `'*'` for every kind. */
  readonly resources: readonly ApiResource[] | '*';
  readonly operations: readonly Operation[];
  readonly path: string;
  readonly timeoutSeconds: number;
  readonly scope: 'Cluster' | 'Namespaced' | '*';
  readonly options: WebhookOptions;
}

/** Fills in the defaults. Throws `INVALID_OPTION` with the name of an invalid option. */
export function checkWebhook(options: WebhookOptions, where: string): CheckedWebhook {
  checkOptions(options, optionNames, where, mistakes);
  const { name, timeoutSeconds = 10 } = options;
  if (typeof name !== 'string' || !isDnsSubdomain(name)) {
    throw invalidOption(`${where}.name`, 'must be a DNS subdomain such as cronjobs');
  }
  const type = typeOf(options, where);
  const { path = defaultPath(type, name) } = options;
  if (!isWebhookPath(path)) {
    throw invalidOption(`${where}.path`, 'must be a path of DNS subdomains such as /validate/jobs');
  }
  if (!Number.isInteger(timeoutSeconds) || timeoutSeconds < 1 || timeoutSeconds > 30) {
    throw invalidOption(`${where}.timeoutSeconds`, 'must be a whole number from 1 to 30');
  }
  checkChoices(options, where);
  checkMatches(options, where);
  const resources = resourcesOf(options, where);
  return {
    name,
    type,
    resources,
    operations: operationsOf(options, where),
    path,
    timeoutSeconds,
    scope: options.scope ?? scopeOf(resources),
    // A later change of the options has no effect.
    options: { ...options },
  };
}

/** True for a path that the API server accepts for a webhook: each segment is a DNS subdomain. */
export function isWebhookPath(path: unknown): path is string {
  if (typeof path !== 'string' || !path.startsWith('/')) return false;
  return path
    .slice(1)
    .split('/')
    .every((segment) => isDnsSubdomain(segment));
}

function defaultPath(type: CheckedWebhook['type'], name: string): string {
  return `/${type === 'validating' ? 'validate' : 'mutate'}/${name}`;
}

function typeOf(options: WebhookOptions, where: string): CheckedWebhook['type'] {
  const { validate, mutate, kind, reinvocationPolicy } = options;
  if (mutate !== undefined) {
    checkFunction(mutate, `${where}.mutate`);
    if (validate !== undefined) throw invalidOption(`${where}.mutate`, 'not with validate');
    if (kind !== undefined) throw invalidOption(`${where}.mutate`, 'not with kind: use resource');
    return 'mutating';
  }
  if (validate !== undefined) checkFunction(validate, `${where}.validate`);
  else if (kind === undefined) throw invalidOption(where, 'needs validate, mutate or kind');
  if (reinvocationPolicy !== undefined) {
    throw invalidOption(`${where}.reinvocationPolicy`, 'needs mutate');
  }
  return 'validating';
}

function resourcesOf(
  { resource, kind }: WebhookOptions,
  where: string,
): CheckedWebhook['resources'] {
  if (kind !== undefined) {
    if (resource !== undefined) throw invalidOption(`${where}.kind`, 'not with resource');
    checkMethods(kind, ['parse'], `${where}.kind`);
    checkToken(kind.resource, `${where}.kind.resource`);
    return [kind.resource];
  }
  if (resource === '*') return '*';
  const list = Array.isArray(resource) ? (resource as readonly ApiResource[]) : [resource];
  if (list.length === 0) throw invalidOption(`${where}.resource`, 'must name a kind');
  for (const each of list) checkToken(each, `${where}.resource`);
  return [...(list as readonly ApiResource[])];
}

function checkToken(token: unknown, option: string): void {
  const { group, version, kind, plural, namespaced } = isRecord(token) ? token : {};
  const areTexts = [group, version, kind, plural].every((part) => typeof part === 'string');
  if (!areTexts || typeof namespaced !== 'boolean') {
    throw invalidOption(option, "must be a token of a kind, several tokens, or '*'");
  }
}

function scopeOf(resources: CheckedWebhook['resources']): CheckedWebhook['scope'] {
  if (resources === '*') return '*';
  const scopes = new Set(resources.map(({ namespaced }) => namespaced));
  if (scopes.size > 1) return '*';
  return scopes.has(true) ? 'Namespaced' : 'Cluster';
}

function operationsOf(
  { operations: given = ['CREATE', 'UPDATE'] }: WebhookOptions,
  where: string,
): readonly Operation[] {
  const isList = Array.isArray(given) && given.length > 0;
  if (!isList || !given.every((each) => operations.includes(each))) {
    throw invalidOption(`${where}.operations`, `must be a list of ${operations.join(', ')}`);
  }
  return [...new Set(given)];
}

function checkChoices(options: WebhookOptions, where: string): void {
  for (const name of Object.keys(choices) as (keyof typeof choices)[]) {
    const value = options[name];
    const known: readonly string[] = choices[name];
    if (value !== undefined && !known.includes(value)) {
      throw invalidOption(`${where}.${name}`, `must be one of ${known.join(', ')}`);
    }
  }
  const { subresource } = options;
  if (subresource === undefined) return;
  if (typeof subresource !== 'string' || !/^(?:\*|[a-z][a-z0-9-]*)$/.test(subresource)) {
    throw invalidOption(`${where}.subresource`, 'must be a name such as status');
  }
}

function checkMatches(options: WebhookOptions, where: string): void {
  const { matchConditions = [], namespaceSelector, objectSelector } = options;
  checkSelector(namespaceSelector, `${where}.namespaceSelector`);
  checkSelector(objectSelector, `${where}.objectSelector`);
  if (!Array.isArray(matchConditions) || matchConditions.length > MAX_MATCH_CONDITIONS) {
    throw invalidOption(`${where}.matchConditions`, 'must be a list of up to 64 conditions');
  }
  const names = matchConditions.map((condition: MatchCondition, index) =>
    nameOf(condition, `${where}.matchConditions[${index}]`),
  );
  if (new Set(names).size < names.length) {
    throw invalidOption(`${where}.matchConditions`, 'must have different names');
  }
}

function nameOf(condition: MatchCondition, where: string): string {
  checkOptions(condition, ['name', 'expression'], where);
  const { name, expression } = condition;
  if (typeof name !== 'string' || !isQualifiedName(name)) {
    throw invalidOption(`${where}.name`, 'must be a name such as not-by-nodes or example.com/a');
  }
  if (typeof expression !== 'string' || expression.trim() === '') {
    throw invalidOption(`${where}.expression`, 'must be a CEL expression');
  }
  return name;
}

/** True for a name as the API server accepts it: one part, or two of which the first is a DNS subdomain. */
function isQualifiedName(text: string): boolean {
  const [name = '', prefix, ...others] = text.split('/').toReversed();
  const hasPrefix = prefix === undefined || isDnsSubdomain(prefix);
  return others.length === 0 && hasPrefix && QUALIFIED_NAME.test(name);
}

function checkSelector(selector: LabelSelector | undefined, option: string): void {
  if (selector === undefined) return;
  checkOptions(selector, ['matchLabels', 'matchExpressions'], option);
  try {
    labelRequirementsOf(selector);
  } catch (cause) {
    throw invalidOption(option, cause instanceof Error ? cause.message : 'must be a selector');
  }
}
