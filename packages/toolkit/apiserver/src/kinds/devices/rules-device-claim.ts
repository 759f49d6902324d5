import type { StatusCause } from '@keelson/apimachinery';
import {
  checkDnsLabel,
  checkLabelValue,
  checkQualifiedName,
  checkSubdomain,
  goLower,
} from '@keelson/cel/internal';
import {
  childPath,
  duplicate,
  type FieldPath,
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
  tooMany,
} from '@keelson/structural-schema';
import { objectAt, objectsAt, textAt, textsAt } from '../../json/json-members.ts';
import { validName } from '../../schema/validation-rule.ts';
import { shownClaimSpec } from './shown-claim.ts';

const MAX_REQUESTS = 32;
const MAX_ALTERNATIVES = 8;
const MAX_SELECTORS = 32;
const MAX_DRIVER_BYTES = 63;
const MAX_IDENTIFIER_BYTES = 32;
const MAX_EXPRESSION_BYTES = 10 * 1024;
const MAX_PARAMETER_BYTES = 10 * 1024;
const oneKind = 'exactly one of `exactly` or `firstAvailable` is required';
const identifierDetail =
  "a valid C identifier must start with alphabetic character or '_', followed by a string of alphanumeric characters or '_' (e.g. 'my_name',  or 'MY_NAME',  or 'MyName', regex used for validation is '[A-Za-z_][A-Za-z0-9_]*')";

/** Validates a new ResourceClaim except its metadata. */
export function validateResourceClaim(claim: JsonObject): StatusCause[] {
  return validateDeviceClaim(objectAt(objectAt(claim, 'spec'), 'devices'), 'spec.devices');
}

/** Validates a new ResourceClaimTemplate except its metadata. */
export function validateClaimTemplate(template: JsonObject): StatusCause[] {
  const spec = objectAt(objectAt(template, 'spec'), 'spec');
  return validateDeviceClaim(objectAt(spec, 'devices'), 'spec.spec.devices');
}

/** The spec of a ResourceClaim never changes. */
export function validateResourceClaimChange(claim: JsonObject, old: JsonObject): StatusCause[] {
  if (jsonEquals(claim.spec, old.spec)) return [];
  return [invalid('spec', shownClaimSpec(objectAt(claim, 'spec')), 'field is immutable')];
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

/** An extended resource has a domain, which is not that of Kubernetes, and can be the name of a quota. */
function isExtendedResource(name: string): boolean {
  const isNative = !name.includes('/') || name.includes('kubernetes.io/');
  if (isNative || name.startsWith('requests.')) return false;
  return checkQualifiedName(`requests.${name}`).length === 0;
}

type ItemRule<T> = (item: T, path: FieldPath) => StatusCause[];

/** Validates the items of a list that is not too long. */
function limited<T>(
  items: readonly T[],
  most: number,
  path: FieldPath,
  validate: ItemRule<T>,
): StatusCause[] {
  if (items.length > most) return [tooMany(path, items.length, most)];
  return items.flatMap((item, index) => validate(item, indexPath(path, index)));
}

/** As `limited`, for items that must have different keys. */
function distinct<T>(
  items: readonly T[],
  most: number,
  path: FieldPath,
  { keyOf, validate }: { readonly keyOf: (item: T) => string; readonly validate: ItemRule<T> },
): StatusCause[] {
  const keys = items.map((item) => keyOf(item));
  const repeated = keys.flatMap((key, index) =>
    keys.indexOf(key) < index ? [duplicate(indexPath(path, index), key)] : [],
  );
  const causes = limited(items, most, path, validate);
  return items.length > most ? causes : [...causes, ...repeated];
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
    if (Buffer.byteLength(expression) <= MAX_EXPRESSION_BYTES) return [];
    return [tooLong(childPath(cel, 'expression'), MAX_EXPRESSION_BYTES)];
  });
}

const operators = ['Equal', 'Exists'];
const effects = ['NoExecute', 'NoSchedule', 'None'];

function validateToleration(toleration: JsonObject, path: FieldPath): StatusCause[] {
  const effect = textAt(toleration, 'effect');
  return [
    ...validName(checkQualifiedName, toleration.key, childPath(path, 'key')),
    ...validateTolerated(textAt(toleration, 'operator'), textAt(toleration, 'value'), path),
    ...(effect === '' || effects.includes(effect)
      ? []
      : [notSupported(childPath(path, 'effect'), effect, effects)]),
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
  return [...causes, ...validateAttribute(textAt(constraint, name), childPath(path, name))];
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

/** Requires a domain and a C identifier: `example.com/memory`. */
function validateAttribute(name: string, path: FieldPath): StatusCause[] {
  const [domain = '', identifier] = name.split('/');
  if (identifier === undefined) {
    const detail = 'a fully qualified name must be a domain and a name separated by a slash';
    return [...validateIdentifier(domain, path), invalid(path, name, detail)];
  }
  return [
    ...(domain === ''
      ? [invalid(path, '', 'the domain must not be empty')]
      : validateDriver(domain, path)),
    ...(identifier === ''
      ? [invalid(path, '', 'the name must not be empty')]
      : validateIdentifier(identifier, path)),
  ];
}

function validateIdentifier(text: string, path: FieldPath): StatusCause[] {
  return [
    ...(text.length > MAX_IDENTIFIER_BYTES ? [tooLong(path, MAX_IDENTIFIER_BYTES)] : []),
    ...(/^[A-Za-z_][A-Za-z0-9_]*$/.test(text) ? [] : [invalid(path, text, identifierDetail)]),
  ];
}

function validateDriver(name: string, path: FieldPath): StatusCause[] {
  if (name === '') return [required(path)];
  return [
    ...(name.length > MAX_DRIVER_BYTES ? [tooLong(path, MAX_DRIVER_BYTES)] : []),
    ...checkSubdomain(goLower(name)).map((detail) => invalid(path, name, detail)),
  ];
}

function validateConfiguration(configuration: JsonObject, path: FieldPath): StatusCause[] {
  const field = childPath(path, 'opaque');
  if (configuration.opaque === undefined) return [required(field)];
  const opaque = objectAt(configuration, 'opaque');
  return [
    ...validateDriver(textAt(opaque, 'driver'), childPath(field, 'driver')),
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
