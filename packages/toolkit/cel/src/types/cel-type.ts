/** The category of a type, which determines how its values can be assigned. */
export type TypeKind =
  | 'primitive'
  | 'null'
  | 'dyn'
  | 'error'
  | 'list'
  | 'map'
  | 'type'
  | 'parameter'
  | 'object'
  | 'opaque'
  | 'time';

/** Returns the type of a field; `undefined` for a field that the type does not have. */
export interface FieldTypes {
  get(name: string): CelType | undefined;
}

/** A static type of CEL. Two types are equal if their kinds, names and parameters are equal. */
export interface CelType {
  readonly kind: TypeKind;
  readonly name: string;
  readonly parameters: readonly CelType[];
  /** The fields of an object type, by the names that rules use. */
  readonly fields?: FieldTypes;
}

function simple(kind: TypeKind, name: string): CelType {
  return { kind, name, parameters: [] };
}

export const boolType: CelType = simple('primitive', 'bool');
export const intType: CelType = simple('primitive', 'int');
export const uintType: CelType = simple('primitive', 'uint');
export const doubleType: CelType = simple('primitive', 'double');
export const stringType: CelType = simple('primitive', 'string');
export const bytesType: CelType = simple('primitive', 'bytes');
export const nullType: CelType = simple('null', 'null');
export const dynType: CelType = simple('dyn', 'dyn');
/** As `dyn`, for a `google.protobuf.Any`, whose type only its value has. */
export const anyType: CelType = simple('dyn', 'any');
/** The type of an invalid expression. It prevents further errors about the same expression. */
export const errorType: CelType = simple('error', '!error!');
export const timestampType: CelType = simple('time', 'google.protobuf.Timestamp');
export const durationType: CelType = simple('time', 'google.protobuf.Duration');

export function listType(item: CelType): CelType {
  return { kind: 'list', name: 'list', parameters: [item] };
}

export function mapType(key: CelType, value: CelType): CelType {
  return { kind: 'map', name: 'map', parameters: [key, value] };
}

export function optionalType(value: CelType): CelType {
  return { kind: 'opaque', name: 'optional_type', parameters: [value] };
}

export function typeOfType(instance: CelType): CelType {
  return { kind: 'type', name: 'type', parameters: [instance] };
}

/** The type of types, without the type that a value names. */
export const typeType: CelType = simple('type', 'type');

/** Creates a type parameter: any type, but the same one wherever the name occurs. */
export function typeParameter(name: string): CelType {
  return simple('parameter', name);
}

export function objectType(name: string, fields?: FieldTypes): CelType {
  return fields === undefined ? simple('object', name) : { ...simple('object', name), fields };
}

/** Creates a type whose values only functions can read: `net.IP`. */
export function opaqueType(name: string): CelType {
  return simple('opaque', name);
}

export function isOptional({ kind, name }: CelType): boolean {
  return kind === 'opaque' && name === 'optional_type';
}

/** Returns the value type of an optional type; other types without changes. */
export function unwrapped(type: CelType): CelType {
  return isOptional(type) ? parameterOf(type) : type;
}

export function parameterOf(type: CelType, index = 0): CelType {
  return type.parameters[index] ?? dynType;
}

export function sameType(one: CelType, other: CelType): boolean {
  return (
    one === other ||
    (one.kind === other.kind &&
      one.name === other.name &&
      one.parameters.length === other.parameters.length &&
      one.parameters.every((each, index) => sameType(each, parameterOf(other, index))))
  );
}

/** Formats a type as error messages do: `map(string, list(int))`. */
export function showType(type: CelType): string {
  if (type.kind === 'time') return type.name.replace(/^.*\./, '').toLowerCase();
  if (type.parameters.length === 0) return type.name;
  return `${type.name}(${type.parameters.map(showType).join(', ')})`;
}

const goNames: Readonly<Record<string, string>> = {
  any: 'google.protobuf.Any',
  null: 'null_type',
};

/** The name of a type as cel-go prints it outside of its checker. */
export function goTypeName({ name, parameters }: CelType): string {
  const own = goNames[name] ?? name;
  return parameters.length === 0 ? own : `${own}(${parameters.map(goTypeName).join(', ')})`;
}
