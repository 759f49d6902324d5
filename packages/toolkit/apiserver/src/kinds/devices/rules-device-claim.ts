import type { StatusCause } from '@keelson/apimachinery';
import {
  checkDnsLabel,
  checkLabelValue,
  checkQualifiedName,
  checkSubdomain,
} from '@keelson/cel/internal';
import {
  childPath,
  type FieldPath,
  forbidden,
  indexPath,
  invalid,
  isJsonObject,
  isNumeric,
  jsonEquals,
  type JsonObject,
  jsonText,
  notSupported,
  required,
  tooLong,
} from '@keelson/structural-schema';
import { objectAt, objectsAt, textAt, textsAt } from '../../json/json-members.ts';
import { validName } from '../../schema/validation-rule.ts';
import { validateClaimMetadata } from '../shared/rules-template-metadata.ts';
import { validateDriverName } from '../shared/rules-driver-name.ts';
import { isExtendedResource } from '../shared/rules-resource-name.ts';
import { distinct, limited } from './bounded-lists.ts';
import { selectorProblem } from './device-expression.ts';
import { validateFullDeviceName } from './rules-qualified-name.ts';
import { shownClaimSpec, shownTemplateSpec } from './shown-claim.ts';

const MAX_REQUESTS = 32;
const MAX_ALTERNATIVES = 8;
const MAX_SELECTORS = 32;
const MAX_EXPRESSION_BYTES = 10 * 1024;
const MAX_PARAMETER_BYTES = 10 * 1024;
const oneKind = 'exactly one of `exactly` or `firstAvailable` is required';
/** Validates a new ResourceClaim except its metadata. */
export function validateResourceClaim(claim: JsonObject): StatusCause[] {
  return validateDeviceClaim(objectAt(objectAt(claim, 'spec'), 'devices'), 'spec.devices');
}

/** Validates a ResourceClaimTemplate except its own metadata. */
export function validateClaimTemplate(template: JsonObject): StatusCause[] {
  const spec = objectAt(template, 'spec');
  return [
    ...validateClaimMetadata(objectAt(spec, 'metadata'), 'spec.metadata'),
    ...validateDeviceClaim(objectAt(objectAt(spec, 'spec'), 'devices'), 'spec.spec.devices'),
  ];
}

/** The spec of a ResourceClaim never changes. */
export function validateResourceClaimChange(claim: JsonObject, old: JsonObject): StatusCause[] {
  if (jsonEquals(claim.spec, old.spec)) return [];
  return [invalid('spec', shownClaimSpec(objectAt(claim, 'spec')), 'field is immutable')];
}

/** The spec of a ResourceClaimTemplate never changes. */
export function validateClaimTemplateChange(next: JsonObject, old: JsonObject): StatusCause[] {
  if (jsonEquals(next.spec, old.spec)) return [];
  return [invalid('spec', shownTemplateSpec(objectAt(next, 'spec')), 'field is immutable')];
}

/** Validates a DeviceClass except its metadata. */
export function validateDeviceClass(deviceClass: JsonObject): StatusCause[] {
  const spec = objectAt(deviceClass, 'spec');
  const name = spec.extendedResourceName;
  const detail = 'must be a valid extended resource name';
  return [
    ...validateSelectors(spec, 'spec'),
    ...limited(objectsAt(spec, 'config'), MAX_REQUESTS, 'spec.config', validateConfiguration),
    ...(typeof name === 'string' && !isExtendedResource(name)
      ? [invalid('spec.extendedResourceName', name, detail)]
      : []),
  ];
}

function nameOf(object: JsonObject): string {
  return textAt(object, 'name');
}

function validateDeviceClaim(devices: JsonObject, path: FieldPath): StatusCause[] {
  const requests = objectsAt(devices, 'requests');
  const names = requestNames(requests);
  return [
    ...distinct(requests, MAX_REQUESTS, childPath(path, 'requests'), {
      keyOf: nameOf,
      validate: validateRequest,
    }),
    ...limited(
      objectsAt(devices, 'constraints'),
      MAX_REQUESTS,
      childPath(path, 'constraints'),
      (constraint, at) => validateConstraint(constraint, at, names),
    ),
    ...limited(
      objectsAt(devices, 'config'),
      MAX_REQUESTS,
      childPath(path, 'config'),
      (configuration, at) => [
        ...validateRequestNames(configuration, at, names),
        ...validateConfiguration(configuration, at),
      ],
    ),
  ];
}

/** The names of the requests, and of their alternatives as `request/alternative`. */
function requestNames(requests: readonly JsonObject[]): ReadonlySet<string> {
  const names = requests.flatMap((request) => [
    nameOf(request),
    ...objectsAt(request, 'firstAvailable').map((each) => `${nameOf(request)}/${nameOf(each)}`),
  ]);
  return new Set(names);
}

function validateRequest(request: JsonObject, path: FieldPath): StatusCause[] {
  const alternatives = objectsAt(request, 'firstAvailable');
  const hasExact = request.exactly !== undefined;
  const name = validateRequestName(nameOf(request), childPath(path, 'name'));
  if (hasExact && alternatives.length > 0) {
    return [...name, invalid(path, null, `${oneKind}, but multiple fields are set`)];
  }
  if (hasExact) {
    return [...name, ...validateWanted(objectAt(request, 'exactly'), childPath(path, 'exactly'))];
  }
  if (alternatives.length === 0) return [...name, required(path, oneKind)];
  return [
    ...name,
    ...distinct(alternatives, MAX_ALTERNATIVES, childPath(path, 'firstAvailable'), {
      keyOf: nameOf,
      validate: (each, at) => [
        ...validateRequestName(nameOf(each), childPath(at, 'name')),
        ...validateWanted(each, at),
      ],
    }),
  ];
}

function validateRequestName(name: string, path: FieldPath): StatusCause[] {
  return checkDnsLabel(name).map((detail) => invalid(path, name, detail));
}

function validateWanted(wanted: JsonObject, path: FieldPath): StatusCause[] {
  const deviceClass = textAt(wanted, 'deviceClassName');
  const field = childPath(path, 'deviceClassName');
  return [
    ...(deviceClass === '' ? [required(field)] : validName(checkSubdomain, deviceClass, field)),
    ...validateSelectors(wanted, path),
    ...validateMode(wanted, path),
    ...objectsAt(wanted, 'tolerations').flatMap((toleration, index) =>
      validateToleration(toleration, indexPath(childPath(path, 'tolerations'), index)),
    ),
  ];
}

function validateMode(wanted: JsonObject, path: FieldPath): StatusCause[] {
  const mode = textAt(wanted, 'allocationMode');
  const { count = 0 } = wanted;
  const field = childPath(path, 'count');
  const detail = `must not be specified when allocationMode is '${mode}'`;
  switch (mode) {
    case 'All':
      return count === 0 ? [] : [invalid(field, count, detail)];
    case 'ExactCount':
      return isNumeric(count) && count > 0
        ? []
        : [invalid(field, count, 'must be greater than zero')];
    default:
      return [notSupported(childPath(path, 'allocationMode'), mode, ['All', 'ExactCount'])];
  }
}

function validateSelectors(parent: JsonObject, path: FieldPath): StatusCause[] {
  const field = childPath(path, 'selectors');
  return limited(objectsAt(parent, 'selectors'), MAX_SELECTORS, field, (selector, at) => {
    const cel = childPath(at, 'cel');
    if (selector.cel === undefined) return [required(cel)];
    const expression = textAt(objectAt(selector, 'cel'), 'expression');
    return validateExpression(expression, childPath(cel, 'expression'));
  });
}

function validateExpression(expression: string, path: FieldPath): StatusCause[] {
  if (Buffer.byteLength(expression) > MAX_EXPRESSION_BYTES) {
    return [tooLong(path, MAX_EXPRESSION_BYTES)];
  }
  const problem = selectorProblem(expression);
  if (problem === undefined) return [];
  const { kind, detail } = problem;
  if (kind === 'expensive') return [forbidden(path, detail)];
  if (kind === 'invalid') return [invalid(path, expression, detail)];
  return [{ reason: 'InternalError', message: `Internal error: ${detail}`, field: path }];
}

const operators = ['Equal', 'Exists'];
/** The effects of a taint of a device. */
export const deviceEffects: readonly string[] = ['NoExecute', 'NoSchedule', 'None'];

function validateToleration(toleration: JsonObject, path: FieldPath): StatusCause[] {
  const effect = textAt(toleration, 'effect');
  return [
    ...validName(checkQualifiedName, toleration.key, childPath(path, 'key')),
    ...validateTolerated(textAt(toleration, 'operator'), textAt(toleration, 'value'), path),
    ...(effect === '' || deviceEffects.includes(effect)
      ? []
      : [notSupported(childPath(path, 'effect'), effect, deviceEffects)]),
  ];
}

function validateTolerated(operator: string, value: string, path: FieldPath): StatusCause[] {
  const field = childPath(path, 'value');
  switch (operator) {
    case 'Exists':
      return value === '' ? [] : [invalid(field, value, 'must be empty for operator `Exists`')];
    case 'Equal':
      return validName(checkLabelValue, value, field);
    case '':
      return [required(childPath(path, 'operator'))];
    default:
      return [notSupported(childPath(path, 'operator'), operator, operators)];
  }
}

function validateConstraint(
  constraint: JsonObject,
  path: FieldPath,
  names: ReadonlySet<string>,
): StatusCause[] {
  const name = ['matchAttribute', 'distinctAttribute'].find(
    (each) => constraint[each] !== undefined,
  );
  const causes = validateRequestNames(constraint, path, names);
  if (name === undefined) {
    const detail =
      'exactly one of "matchAttribute" or "distinctAttribute" is required, but multiple fields are set';
    return [...causes, required(path, detail)];
  }
  return [...causes, ...validateFullDeviceName(textAt(constraint, name), childPath(path, name))];
}

function validateRequestNames(
  part: JsonObject,
  path: FieldPath,
  names: ReadonlySet<string>,
): StatusCause[] {
  const detail =
    "must be the name of a request in the claim or the name of a request and a subrequest separated by '/'";
  return distinct(textsAt(part, 'requests'), MAX_REQUESTS, childPath(path, 'requests'), {
    keyOf: (name) => name,
    validate(name, at) {
      const segments = name.split('/');
      if (segments.length > 2) return [invalid(at, name, detail)];
      return [
        ...segments.flatMap((segment) => validateRequestName(segment, at)),
        ...(names.has(name) ? [] : [invalid(at, name, detail)]),
      ];
    },
  });
}

function validateConfiguration(configuration: JsonObject, path: FieldPath): StatusCause[] {
  const field = childPath(path, 'opaque');
  if (configuration.opaque === undefined) return [required(field)];
  const opaque = objectAt(configuration, 'opaque');
  return [
    ...validateDriverName(textAt(opaque, 'driver'), childPath(field, 'driver')),
    ...validateParameters(opaque, childPath(field, 'parameters')),
  ];
}

function validateParameters({ parameters }: JsonObject, path: FieldPath): StatusCause[] {
  if (parameters === undefined || parameters === null) return [required(path)];
  if (!isJsonObject(parameters)) {
    return [invalid(path, '<value omitted>', 'must be a valid JSON object')];
  }
  const bytes = Buffer.byteLength(jsonText(parameters));
  return bytes > MAX_PARAMETER_BYTES ? [tooLong(path, MAX_PARAMETER_BYTES)] : [];
}
