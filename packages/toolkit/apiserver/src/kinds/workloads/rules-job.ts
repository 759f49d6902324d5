import { objectAt, textAt } from '../../json/json-members.ts';
import { labelRequirementsOf, matchesLabels, type StatusCause } from '@keelson/apimachinery';
import { checkDnsLabel, checkSubdomain } from '@keelson/cel/internal';
import {
  childPath,
  type FieldPath,
  invalid,
  isJsonObject,
  type JsonObject,
  keyPath,
  notSupported,
  required,
  tooLong,
} from '@keelson/structural-schema';
import { cronJobOrders } from './rules-cron-job.ts';
import { validateFailurePolicy } from './rules-job-policy.ts';
import { validateSuccessPolicy } from './rules-success-policy.ts';
import { validateLabelSelector } from '../shared/rules-selector.ts';
import { atLeastZero, type OrderedRules } from '../../schema/validation-rule.ts';

type Labels = Readonly<Record<string, string>>;

const MAX_MANAGER_LENGTH = 63;
const MAX_INDEXED_COUNT = 100_000;
const MAX_WITH_MANY_INDEXES = 10_000;
const completionModes = ['NonIndexed', 'Indexed'];
const mismatch = '`selector` does not match template `labels`';

/** Ordered validation rules of Jobs and of the Job templates of CronJobs. */
export const jobOrders: OrderedRules = {
  ...cronJobOrders,
  'batch.v1.Job': (job, _, fields) => [
    ...(objectAt(job, 'spec').manualSelector === true ? [] : validateGenerated(job)),
    ...fields.validate('spec'),
    ...validateHostnames(job),
  ],
  'batch.v1.JobSpec': (spec, path, fields) => [
    ...validateCounts(spec, path),
    ...validateManager(spec.managedBy, childPath(path, 'managedBy')),
    ...validateCompletionMode(spec, path),
    ...validateFailurePolicy(spec, path),
    ...validateSuccessPolicy(spec, path),
    ...validateReplacement(spec, path),
    ...fields.validate('template'),
    ...endsSomeTime(spec, path),
    // The template of a CronJob has no selector.
    ...(path === 'spec' ? validateSelector(spec, path) : []),
  ],
};

/** The server generates the selector and the template labels, unless the Job sets `manualSelector`. */
function validateGenerated(job: JsonObject): StatusCause[] {
  const metadata = objectAt(job, 'metadata');
  const [name, uid] = [textAt(metadata, 'name'), textAt(metadata, 'uid')];
  const { selector } = objectAt(job, 'spec');
  if (!isJsonObject(selector)) return [];
  const expected = {
    'controller-uid': uid,
    'job-name': name,
    'batch.kubernetes.io/controller-uid': uid,
    'batch.kubernetes.io/job-name': name,
  };
  const labels = objectAt(objectAt(objectAt(job, 'spec'), 'template'), 'metadata').labels;
  return [
    ...Object.entries(expected).flatMap(([key, value]) => hasLabel(labels, key, value)),
    ...(selectorMatches(selector, expected) === false
      ? [invalid('spec.selector', shownSelector(selector), '`selector` not auto-generated')]
      : []),
  ];
}

function shownSelector(selector: JsonObject): unknown {
  const { matchLabels, ...others } = selector;
  return { ...(matchLabels !== undefined && { matchLabels: shown(matchLabels) }), ...others };
}

/** Sorts keys, as Go prints a map. */
function shown(labels: unknown): unknown {
  if (!isJsonObject(labels)) return null;
  const entries = Object.entries(labels as Labels);
  return Object.fromEntries(entries.toSorted(([left], [right]) => (left < right ? -1 : 1)));
}

function hasLabel(labels: unknown, key: string, value: string): StatusCause[] {
  const found = (labels as Labels | undefined)?.[key];
  if (found === value) return [];
  const field = keyPath('spec.template.metadata.labels', key);
  const detail = `must be '${value}'`;
  return [found === undefined ? required(field, detail) : invalid(field, shown(labels), detail)];
}

/** True if a selector matches labels; undefined for an invalid selector. */
function selectorMatches(selector: JsonObject, labels: Labels): boolean | undefined {
  if (validateLabelSelector(selector, '').length > 0) return undefined;
  return matchesLabels(labelRequirementsOf(selector), labels);
}

function validateSelector(spec: JsonObject, path: FieldPath): StatusCause[] {
  const { selector } = spec;
  const labels = objectAt(objectAt(spec, 'template'), 'metadata').labels;
  const given = isJsonObject(selector);
  const matches = given && selectorMatches(selector, (labels ?? {}) as Labels) !== false;
  return [
    ...(given
      ? validateLabelSelector(selector, childPath(path, 'selector'))
      : [required(childPath(path, 'selector'))]),
    ...(matches
      ? []
      : [invalid(childPath(path, 'template.metadata.labels'), shown(labels), mismatch)]),
  ];
}

/** The hostnames of an Indexed Job consist of its name and an index. */
function validateHostnames(job: JsonObject): StatusCause[] {
  const { completionMode, completions } = objectAt(job, 'spec');
  if (completionMode !== 'Indexed' || Number(completions ?? 0) <= 0) return [];
  const name = textAt(objectAt(job, 'metadata'), 'name');
  const longest = `${name}-${Number(completions) - 1}`;
  if (checkDnsLabel(longest).length === 0) return [];
  const detail = `will not able to create pod with invalid DNS label: ${longest}`;
  return [invalid('metadata.name', name, detail)];
}

function validateCounts(spec: JsonObject, path: FieldPath): StatusCause[] {
  const counts = ['parallelism', 'completions', 'activeDeadlineSeconds', 'backoffLimit'];
  const later = ['ttlSecondsAfterFinished', 'backoffLimitPerIndex', 'maxFailedIndexes'];
  const isMissing = spec.maxFailedIndexes !== undefined && spec.backoffLimitPerIndex === undefined;
  return [
    ...atLeastZero(spec, path, ...counts, ...later),
    ...(isMissing
      ? [required(childPath(path, 'backoffLimitPerIndex'), 'when maxFailedIndexes is specified')]
      : []),
  ];
}

function validateManager(manager: unknown, path: FieldPath): StatusCause[] {
  if (typeof manager !== 'string') return [];
  if (manager === '') return [required(path)];
  const [, domain = '', rest = ''] = /^([^/]*)\/(.*)$/.exec(manager) ?? [];
  const found =
    domain === '' || rest === ''
      ? [invalid(path, manager, 'must be a domain-prefixed path (such as "acme.io/foo")')]
      : checkSubdomain(domain).map((detail) => invalid(path, domain, detail));
  return [
    ...found,
    ...(manager.length > MAX_MANAGER_LENGTH ? [tooLong(path, MAX_MANAGER_LENGTH)] : []),
  ];
}

function validateCompletionMode(spec: JsonObject, path: FieldPath): StatusCause[] {
  const mode = textAt(spec, 'completionMode', 'NonIndexed');
  if (mode === 'Indexed') return validateIndexed(spec, path);
  if (mode !== 'NonIndexed') {
    return [notSupported(childPath(path, 'completionMode'), mode, completionModes)];
  }
  return ['backoffLimitPerIndex', 'maxFailedIndexes']
    .filter((field) => spec[field] !== undefined)
    .map((field) =>
      invalid(childPath(path, field), spec[field], 'requires indexed completion mode'),
    );
}

function validateIndexed(spec: JsonObject, path: FieldPath): StatusCause[] {
  const { completions, parallelism, maxFailedIndexes } = spec;
  const failed = childPath(path, 'maxFailedIndexes');
  return [
    ...(completions === undefined
      ? [required(childPath(path, 'completions'), 'when completion mode is Indexed')]
      : []),
    ...(Number(parallelism ?? 0) > MAX_INDEXED_COUNT
      ? [
          invalid(
            childPath(path, 'parallelism'),
            parallelism,
            `must be less than or equal to ${MAX_INDEXED_COUNT} when completion mode is Indexed`,
          ),
        ]
      : []),
    ...(completions !== undefined && Number(maxFailedIndexes ?? 0) > Number(completions)
      ? [invalid(failed, maxFailedIndexes, 'must be less than or equal to completions')]
      : []),
    ...(Number(maxFailedIndexes ?? 0) > MAX_INDEXED_COUNT
      ? [invalid(failed, maxFailedIndexes, `must be less than or equal to ${MAX_INDEXED_COUNT}`)]
      : []),
    ...(Number(completions ?? 0) > MAX_INDEXED_COUNT && spec.backoffLimitPerIndex !== undefined
      ? validateManyIndexes(spec, path)
      : []),
  ];
}

/** Limits the status of a Job with very many indexes and a limit of retries for each. */
function validateManyIndexes(spec: JsonObject, path: FieldPath): StatusCause[] {
  const detail = `must be less than or equal to ${MAX_WITH_MANY_INDEXES} when completions are above ${MAX_INDEXED_COUNT} and used with backoff limit per index`;
  return [
    ...(spec.maxFailedIndexes === undefined
      ? [
          required(
            childPath(path, 'maxFailedIndexes'),
            `must be specified when completions is above ${MAX_INDEXED_COUNT}`,
          ),
        ]
      : []),
    ...['parallelism', 'maxFailedIndexes']
      .filter((name) => Number(spec[name] ?? 0) > MAX_WITH_MANY_INDEXES)
      .map((name) => invalid(childPath(path, name), spec[name], detail)),
  ];
}

function validateReplacement(spec: JsonObject, path: FieldPath): StatusCause[] {
  const policy = spec.podReplacementPolicy;
  const all = ['Failed', 'TerminatingOrFailed'];
  const allowed = spec.podFailurePolicy === undefined ? all : ['Failed'];
  if (typeof policy !== 'string' || allowed.includes(policy)) return [];
  return [notSupported(childPath(path, 'podReplacementPolicy'), policy, allowed)];
}

function endsSomeTime(spec: JsonObject, path: FieldPath): StatusCause[] {
  const policy = textAt(objectAt(objectAt(spec, 'template'), 'spec'), 'restartPolicy');
  const field = childPath(path, 'template.spec.restartPolicy');
  if (policy === '' || policy === 'Always') {
    return [required(field, 'valid values: "OnFailure", "Never"')];
  }
  if (policy !== 'OnFailure' && policy !== 'Never') {
    return [notSupported(field, policy, ['OnFailure', 'Never'])];
  }
  if (spec.podFailurePolicy === undefined || policy === 'Never') return [];
  const detail = 'only "Never" is supported when podFailurePolicy is specified';
  return [invalid(field, policy, detail)];
}
