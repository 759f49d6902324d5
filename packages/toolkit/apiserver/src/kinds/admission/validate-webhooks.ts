import type { StatusCause } from '@keelson/apimachinery';
import { checkDns1035Label, checkSubdomain } from '@keelson/cel/internal';
import {
  childPath,
  duplicate,
  type FieldPath,
  indexPath,
  invalid,
  jsonEquals,
  type JsonObject,
  type JsonValue,
  notSupported,
  required,
} from '@keelson/structural-schema';
import { objectAt, objectsAt, textAt, textsAt } from '../../json/json-members.ts';
import { serviceCauses, urlCauses } from '../shared/rules-client-config.ts';
import { oneOf, validateConditions, validateRule, validateSelector } from './validate-match.ts';

// Source: `pkg/apis/admissionregistration/validation/validation.go` of Kubernetes 1.36.

const acceptedVersions = ['v1', 'v1beta1'];
const noSideEffects = ['None', 'NoneOnDryRun'];

/** Validates a `ValidatingWebhookConfiguration` or, with their reinvocation policy, a `MutatingWebhookConfiguration`. */
export function validateWebhooks(object: JsonObject, old?: JsonObject): StatusCause[] {
  const webhooks = objectsAt(object, 'webhooks');
  const before = old && objectsAt(old, 'webhooks');
  const options = {
    checksConditions: before === undefined || !sameConditions(webhooks, before),
    checksVersions: before?.every(hasAcceptedVersion) ?? true,
  };
  const seen = new Set<string>();
  return webhooks.flatMap((webhook, index) => {
    const path = indexPath('webhooks', index);
    const name = textAt(webhook, 'name');
    const isDuplicate = name !== '' && seen.has(name);
    seen.add(name);
    return [
      ...validateWebhook(webhook, path, options.checksConditions),
      ...validateVersions(webhook, path, options.checksVersions),
      ...(isDuplicate ? [duplicate(childPath(path, 'name'), name)] : []),
    ];
  });
}

function sameConditions(next: readonly JsonObject[], before: readonly JsonObject[]): boolean {
  return jsonEquals(conditionsOf(next), conditionsOf(before));
}

function conditionsOf(webhooks: readonly JsonObject[]): unknown {
  return webhooks.map(({ matchConditions = null }) => matchConditions);
}

function validateWebhook(
  webhook: JsonObject,
  path: FieldPath,
  checksConditions: boolean,
): StatusCause[] {
  return [
    ...validateName(textAt(webhook, 'name'), childPath(path, 'name')),
    ...objectsAt(webhook, 'rules').flatMap((rule, index) =>
      validateRule(rule, indexPath(childPath(path, 'rules'), index)),
    ),
    ...oneOf(webhook, path, 'failurePolicy', ['Fail', 'Ignore']),
    ...oneOf(webhook, path, 'matchPolicy', ['Equivalent', 'Exact']),
    ...validateSideEffects(webhook.sideEffects, childPath(path, 'sideEffects')),
    ...validateTimeout(webhook.timeoutSeconds, childPath(path, 'timeoutSeconds')),
    ...validateSelector(webhook, path, 'namespaceSelector'),
    ...validateSelector(webhook, path, 'objectSelector'),
    ...oneOf(webhook, path, 'reinvocationPolicy', ['IfNeeded', 'Never']),
    ...validateClientConfig(objectAt(webhook, 'clientConfig'), childPath(path, 'clientConfig')),
    ...(checksConditions ? validateConditions(webhook, path, false) : []),
  ];
}

/** A webhook needs a name such as `validate.widgets.example.com`. */
function validateName(name: string, path: FieldPath): StatusCause[] {
  if (name === '') return [required(path)];
  const problems = checkSubdomain(name);
  if (problems.length > 0) return [invalid(path, name, problems.join(','))];
  if (name.split('.').length >= 3) return [];
  return [invalid(path, name, 'should be a domain with at least three segments separated by dots')];
}

function validateSideEffects(value: JsonValue | undefined, path: FieldPath): StatusCause[] {
  if (value === undefined || value === null) {
    return [required(path, `must specify one of ${noSideEffects.join(', ')}`)];
  }
  return noSideEffects.some((each) => each === value)
    ? []
    : [notSupported(path, value, noSideEffects)];
}

function validateTimeout(seconds: unknown, path: FieldPath): StatusCause[] {
  if (seconds === undefined || (Number(seconds) >= 1 && Number(seconds) <= 30)) return [];
  return [invalid(path, seconds, 'the timeout value must be between 1 and 30 seconds')];
}

function validateClientConfig(config: JsonObject, path: FieldPath): StatusCause[] {
  const { url, service } = config;
  if ((url === undefined) === (service === undefined)) {
    return [required(path, 'exactly one of url or service is required')];
  }
  return url === undefined
    ? serviceCauses(objectAt(config, 'service'), childPath(path, 'service'))
    : urlCauses(textAt(config, 'url'), childPath(path, 'url'));
}

function hasAcceptedVersion(webhook: JsonObject): boolean {
  const versions = textsAt(webhook, 'admissionReviewVersions');
  return versions.length === 0 || versions.some((version) => acceptedVersions.includes(version));
}

function validateVersions(
  webhook: JsonObject,
  path: FieldPath,
  checksKnown: boolean,
): StatusCause[] {
  const versions = textsAt(webhook, 'admissionReviewVersions');
  const field = childPath(path, 'admissionReviewVersions');
  const known = acceptedVersions.join(', ');
  if (versions.length === 0) return [required(field, `must specify one of ${known}`)];
  const isKnown = versions.some((version) => acceptedVersions.includes(version));
  return [
    ...versions.flatMap((version, index) => {
      const at = indexPath(field, index);
      if (versions.indexOf(version) < index) return [invalid(at, version, 'duplicate version')];
      return checkDns1035Label(version).map((why) => invalid(at, version, why));
    }),
    ...(checksKnown && !isKnown
      ? [invalid(field, versions, `must include at least one of ${known}`)]
      : []),
  ];
}
