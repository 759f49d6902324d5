import {
  anyType,
  boolType,
  type CelType,
  compileExpression,
  goTypeName,
  makeDeviceLibrary,
  mapType,
  objectType,
  quantityType,
  type SizedType,
  stringType,
} from '@keelson/cel/internal';
import { lazy } from '@keelson/structural-schema';

// Source: `cel/compile.go` of dynamic-resource-allocation of Kubernetes 1.36.

/** The largest cost of one evaluation of a selector, in the units of CEL. */
const MAX_COST = 1_000_000;
const MAX_DOMAIN_BYTES = 63;
const MAX_IDENTIFIER_BYTES = 32;
const MAX_VALUE_BYTES = 64;
const MAX_ENTRIES = 32;

const library = lazy(makeDeviceLibrary);

/** The values of a type have at most `most` characters. */
function sized(type: CelType, most: number): SizedType {
  return { type, smallest: 0, most };
}

function sizedMap(keyBytes: number, element: SizedType): SizedType {
  const type = mapType(stringType, element.type);
  return { type, smallest: 0, most: MAX_ENTRIES, key: sized(stringType, keyBytes), element };
}

/** Values by domain and identifier: `device.capacity["example.com"].memory`. */
function byDomain(values: SizedType): SizedType {
  return sizedMap(MAX_DOMAIN_BYTES, values);
}

/** Only attributes have a known size when an expression selects them by name. */
function attributes(): SizedType {
  const attribute = sized(anyType, MAX_VALUE_BYTES);
  return { ...sizedMap(MAX_IDENTIFIER_BYTES, attribute), fields: { get: () => attribute } };
}

/** The variable `device` of a selector. The type of an attribute is known only when the selector is evaluated. */
const deviceType = lazy((): SizedType => {
  const fields = new Map([
    ['driver', sized(stringType, MAX_DOMAIN_BYTES)],
    ['attributes', byDomain(attributes())],
    ['capacity', byDomain(sizedMap(MAX_IDENTIFIER_BYTES, sized(quantityType, 0)))],
    ['allowMultipleAllocations', sized(boolType, 1)],
  ]);
  const types = new Map([...fields].map(([name, { type }]) => [name, type]));
  return { type: objectType('kubernetes.DRADevice', types), smallest: 0, most: 0, fields };
});

/** Why an expression cannot select devices. */
export interface SelectorProblem {
  readonly kind: 'invalid' | 'expensive' | 'internal';
  readonly detail: string;
}

/** Compiles the expression of a selector; undefined for a valid one. */
export function selectorProblem(expression: string): SelectorProblem | undefined {
  const device = deviceType();
  const compiled = compileExpression(library(), expression, {
    variables: new Map([['device', device.type]]),
    self: device,
    refusal: (type) =>
      type === boolType || type === anyType
        ? undefined
        : `must evaluate to bool or the unknown type, not ${goTypeName(type)}`,
  });
  if (typeof compiled !== 'string') {
    if (compiled.cost <= MAX_COST) return undefined;
    return { kind: 'expensive', detail: 'too complex, exceeds cost limit' };
  }
  const kind = compiled.startsWith('program instantiation failed') ? 'internal' : 'invalid';
  return { kind, detail: compiled };
}
