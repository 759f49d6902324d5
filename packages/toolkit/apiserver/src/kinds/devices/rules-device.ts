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
  jsonEquals,
  type JsonObject,
  keyPath,
  notSupported,
  required,
  tooLong,
} from '@keelson/structural-schema';
import { objectAt, objectsAt, textAt, textsAt } from '../../json/json-members.ts';
import { presentName, validName } from '../../schema/validation-rule.ts';
import { validateNodeSelector } from '../pods/rules-placement.ts';
import { distinct, limited } from './bounded-lists.ts';
import { validateRequestPolicy } from './rules-capacity.ts';
import { validateCounters } from './rules-counters.ts';
import { deviceEffects } from './rules-device-claim.ts';
import { validateDeviceName } from './rules-qualified-name.ts';

const MAX_FACTS = 32;
const MAX_TAINTS = 16;
const MAX_COUNTER_SETS = 2;
const MAX_SET_COUNTERS = 32;
const MAX_CONDITIONS = 4;
const MAX_VALUE_BYTES = 64;
/** The longest name of an attribute: a domain, a slash and an identifier. */
const MAX_NAME_BYTES = 63 + 1 + 32;

/** The facts about a device that its slice has. */
interface DeviceContext {
  /** The stored device of this name. */
  readonly old: JsonObject | undefined;
  /** True if each device names its nodes. */
  readonly choosesNodes: boolean;
}

/** Validates one device of a ResourceSlice. Unchanged taints stay valid. */
export function validateDevice(
  device: JsonObject,
  path: FieldPath,
  { old, choosesNodes }: DeviceContext,
): StatusCause[] {
  const name = textAt(device, 'name');
  const hasNewTaints = old === undefined || !jsonEquals(old.taints, device.taints);
  return [
    ...checkDnsLabel(name).map((detail) => invalid(childPath(path, 'name'), name, detail)),
    ...validateFacts(device, path),
    ...(hasNewTaints
      ? limited(objectsAt(device, 'taints'), MAX_TAINTS, childPath(path, 'taints'), validateTaint)
      : []),
    ...distinct(
      objectsAt(device, 'consumesCounters'),
      MAX_COUNTER_SETS,
      childPath(path, 'consumesCounters'),
      { keyOf: (each) => textAt(each, 'counterSet'), validate: validateConsumption },
    ),
    ...(choosesNodes ? validateNodes(device, path) : withoutNodes(device, path)),
    ...validateBinding(device, path),
  ];
}

/** Validates attributes and capacities, which together are few. */
function validateFacts(device: JsonObject, path: FieldPath): StatusCause[] {
  const [attributes, capacity] = [objectAt(device, 'attributes'), objectAt(device, 'capacity')];
  const count = Object.keys(attributes).length + Object.keys(capacity).length;
  const detail = `the total number of attributes and capacities must not exceed ${MAX_FACTS}`;
  const isShared = device.allowMultipleAllocations === true;
  return [
    ...(count > MAX_FACTS ? [invalid(path, count, detail)] : []),
    ...namedFacts(attributes, childPath(path, 'attributes'), validateAttribute),
    ...namedFacts(capacity, childPath(path, 'capacity'), (each, at) =>
      validateCapacity(each, at, isShared),
    ),
  ];
}

/** kube-apiserver reports a wrong name for the whole map. */
function namedFacts(
  facts: JsonObject,
  path: FieldPath,
  validate: (fact: JsonObject, path: FieldPath) => StatusCause[],
): StatusCause[] {
  return Object.keys(facts).flatMap((name) => [
    ...validateDeviceName(name, path),
    ...validate(objectAt(facts, name), keyPath(path, shortened(name))),
  ]);
}

function shortened(name: string): string {
  if (name.length <= MAX_NAME_BYTES) return name;
  const rest = MAX_NAME_BYTES - 3;
  return `${name.slice(0, Math.ceil(rest / 2))}...${name.slice(-Math.floor(rest / 2))}`;
}

const numericPart = String.raw`(?:0|[1-9]\d*)`;
const releasePart = String.raw`(?:0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*)`;
const buildPart = '[0-9a-zA-Z-]+';
const semanticVersion = new RegExp(
  String.raw`^${numericPart}\.${numericPart}\.${numericPart}(?:-${releasePart}(?:\.${releasePart})*)?(?:\+${buildPart}(?:\.${buildPart})*)?$`,
);

function validateAttribute(attribute: JsonObject, path: FieldPath): StatusCause[] {
  const members = Object.keys(attribute);
  return [
    ...validateText(attribute, path),
    ...validateVersion(attribute, path),
    ...(members.length === 1 ? [] : [oneValue(attribute, path)]),
  ];
}

function validateText({ string: text }: JsonObject, path: FieldPath): StatusCause[] {
  return typeof text === 'string' ? shortText(text, childPath(path, 'string')) : [];
}

function shortText(text: string, path: FieldPath): StatusCause[] {
  return Buffer.byteLength(text) > MAX_VALUE_BYTES ? [tooLong(path, MAX_VALUE_BYTES)] : [];
}

function validateVersion({ version }: JsonObject, path: FieldPath): StatusCause[] {
  if (typeof version !== 'string') return [];
  const field = childPath(path, 'version');
  const detail = 'must be a string compatible with semver.org spec 2.0.0';
  return [
    ...(semanticVersion.test(version) ? [] : [invalid(field, version, detail)]),
    ...shortText(version, field),
  ];
}

function oneValue(attribute: JsonObject, path: FieldPath): StatusCause {
  const detail = 'exactly one value must be specified';
  if (Object.keys(attribute).length === 0) return invalid(path, '', detail);
  const { bool = null, int = null, string = null, version = null } = attribute;
  // kube-apiserver prints its internal struct.
  const shown = {
    IntValue: int,
    BoolValue: bool,
    StringValue: string,
    VersionValue: version,
    IntValues: null,
    BoolValues: null,
    StringValues: null,
    VersionValues: null,
  };
  return invalid(path, shown, detail);
}

/** Only devices that several claims share have a policy for their capacity. */
function validateCapacity(capacity: JsonObject, path: FieldPath, isShared: boolean): StatusCause[] {
  if (capacity.requestPolicy === undefined) return [];
  const field = childPath(path, 'requestPolicy');
  if (!isShared) return [forbidden(field, 'allowMultipleAllocations must be true')];
  return validateRequestPolicy(
    objectAt(capacity, 'requestPolicy'),
    textAt(capacity, 'value', '0'),
    field,
  );
}

function validateTaint(taint: JsonObject, path: FieldPath): StatusCause[] {
  const [key, effect] = [textAt(taint, 'key'), textAt(taint, 'effect')];
  const field = childPath(path, 'effect');
  return [
    ...checkQualifiedName(key).map((detail) => invalid(childPath(path, 'key'), key, detail)),
    ...validName(checkLabelValue, taint.value, childPath(path, 'value')),
    ...(effect === '' ? [required(field)] : []),
    ...(effect === '' || deviceEffects.includes(effect)
      ? []
      : [notSupported(field, effect, deviceEffects)]),
  ];
}

function validateConsumption(consumption: JsonObject, path: FieldPath): StatusCause[] {
  const set = textAt(consumption, 'counterSet');
  const field = childPath(path, 'counterSet');
  const counters = objectAt(consumption, 'counters');
  return [
    ...(set === ''
      ? [required(field)]
      : checkDnsLabel(set).map((detail) => invalid(field, set, detail))),
    ...validateCounters(counters, MAX_SET_COUNTERS, childPath(path, 'counters')),
  ];
}

const nodeFields = ['nodeName', 'nodeSelector', 'allNodes'];

function validateNodes(device: JsonObject, path: FieldPath): StatusCause[] {
  const { nodeName } = device;
  const field = childPath(path, 'nodeName');
  const selector = childPath(path, 'nodeSelector');
  return [
    ...(nodeName === ''
      ? [invalid(field, '', 'must not be empty')]
      : presentName(checkSubdomain, nodeName, field)),
    ...(device.nodeSelector === undefined
      ? []
      : validateNodeSelector(objectAt(device, 'nodeSelector'), selector)),
    ...(device.allNodes === false
      ? [invalid(childPath(path, 'allNodes'), false, 'must be either unset or set to true')]
      : []),
    ...validateChoice(device, path),
  ];
}

function validateChoice(device: JsonObject, path: FieldPath): StatusCause[] {
  const chosen = nodeFields.filter(
    (name) => (device[name] ?? false) !== false && device[name] !== '',
  );
  const detail =
    'exactly one of `nodeName`, `nodeSelector`, or `allNodes` is required when `perDeviceNodeSelection` is set to true in the ResourceSlice spec';
  if (chosen.length === 1) return [];
  if (chosen.length === 0) return [required(path, detail)];
  return [invalid(path, `{${chosen.map((name) => `\`${name}\``).join(', ')}}`, detail)];
}

function withoutNodes(device: JsonObject, path: FieldPath): StatusCause[] {
  if (nodeFields.every((name) => device[name] === undefined)) return [];
  const detail =
    '`nodeName`, `nodeSelector` and `allNodes` can only be set if `perDeviceNodeSelection` is set to true in the ResourceSlice spec';
  return [invalid(path, null, detail)];
}

/** The conditions of a binding: those for its success and those for its failure differ, and need each other. */
function validateBinding(device: JsonObject, path: FieldPath): StatusCause[] {
  const [good, bad] = ['bindingConditions', 'bindingFailureConditions'];
  const [wanted, failed] = [textsAt(device, good), textsAt(device, bad)];
  const [goodPath, badPath] = [childPath(path, good), childPath(path, bad)];
  const overlap = 'bindingFailureConditions must not overlap with bindingConditions';
  return [
    ...limited(wanted, MAX_CONDITIONS, goodPath, validateCondition),
    ...limited(failed, MAX_CONDITIONS, badPath, validateCondition),
    ...repeated(wanted, goodPath),
    ...failed.flatMap((condition, index) => [
      ...repeated(failed.slice(0, index + 1), badPath).filter(
        ({ field }) => field === indexPath(badPath, index),
      ),
      ...(wanted.includes(condition)
        ? [invalid(indexPath(badPath, index), condition, overlap)]
        : []),
    ]),
    ...(wanted.length === 0 && failed.length > 0
      ? [invalid(goodPath, null, `${good} are required to use ${bad}`)]
      : []),
    ...(failed.length === 0 && wanted.length > 0
      ? [invalid(badPath, null, `${bad} are required to use ${good}`)]
      : []),
  ];
}

function validateCondition(condition: string, path: FieldPath): StatusCause[] {
  return checkQualifiedName(condition).map((detail) => invalid(path, condition, detail));
}

function repeated(conditions: readonly string[], path: FieldPath): StatusCause[] {
  return conditions.flatMap((condition, index) =>
    conditions.indexOf(condition) < index ? [duplicate(indexPath(path, index), condition)] : [],
  );
}
