import { readDataFile } from '../data-file.ts';
import { lazy } from '@keelson/structural-schema';
import {
  type EmptyMode,
  type Field,
  type ListType,
  type MapType,
  rawJson,
  type Scalar,
  type SchemaType,
  type StructType,
} from './schema-type.ts';

type TypeEntry =
  | string
  | { list: ListType['list']; keys?: string[]; of: TypeEntry }
  | { map: 'granular' | 'atomic'; of: TypeEntry };

interface FieldEntry {
  type: TypeEntry;
  required?: true;
  empty?: EmptyMode;
  default?: unknown;
  enum?: string[];
  mergeKey?: string;
  patch?: string;
}

interface StructEntry {
  atomic?: true;
  fields: Record<string, TypeEntry | FieldEntry>;
}

interface KindsFile {
  kinds: Record<string, string>;
  types: Record<string, StructEntry>;
}

const read = lazy(() => JSON.parse(readDataFile('kinds.json').toString()) as KindsFile);
const structs = lazy(() => new Map<string, StructType>());

/** Returns the type of a built-in kind; `undefined` if the kind is unknown. */
export function builtinType(group: string, version: string, kind: string): StructType | undefined {
  const name = read().kinds[`${group}/${version}/${kind}`];
  return name === undefined ? undefined : builtinStruct(name);
}

/** Returns the type of `metadata`, the same for custom resources and built-in kinds. */
export function objectMetaType(): StructType {
  return builtinStruct('meta.v1.ObjectMeta');
}

/** Returns the type of a struct by its name, such as `core.v1.Container`. */
export function builtinStruct(name: string): StructType {
  const known = structs().get(name);
  if (known !== undefined) return known;
  const entry = read().types[name];
  if (entry === undefined) throw new Error(`kinds.json has no type ${name}`);
  const struct = new BuiltinStruct(name, entry, entry.atomic === true);
  structs().set(name, struct);
  return struct;
}

/**
 * A struct that builds its fields on first use, because types are recursive and most are never used. The fields then
 * hold plain members, because every write reads them for every value.
 */
class BuiltinStruct implements StructType {
  readonly kind = 'struct';
  readonly name: string;
  readonly atomic: boolean;
  readonly open = false;
  readonly #entry: StructEntry;
  #fields: ReadonlyMap<string, Field> | undefined;
  #present: readonly (readonly [string, Field])[] | undefined;

  constructor(name: string, entry: StructEntry, atomic: boolean) {
    this.name = name;
    this.atomic = atomic;
    this.#entry = entry;
  }

  get fields(): ReadonlyMap<string, Field> {
    this.#fields ??= fieldsOf(this.#entry);
    return this.#fields;
  }

  get present(): readonly (readonly [string, Field])[] {
    this.#present ??= [...this.fields].filter(
      ([, field]) => field.empty === 'zero' || field.empty === 'null',
    );
    return this.#present;
  }
}

function fieldsOf(entry: StructEntry): ReadonlyMap<string, Field> {
  return new Map(
    Object.entries(entry.fields).map(([name, field]) => [
      name,
      typeof field === 'object' && 'type' in field ? fieldOf(field) : fieldOf({ type: field }),
    ]),
  );
}

function fieldOf(entry: FieldEntry): Field {
  const isStruct = typeof entry.type === 'string' && /^[#!]/.test(entry.type);
  return {
    type: typeOf(entry.type),
    required: entry.required === true,
    empty: entry.empty ?? (isStruct ? 'optional' : 'dropped'),
    patch: {
      merge: entry.patch?.includes('merge') === true,
      replace: entry.patch === 'replace',
      retainKeys: entry.patch?.includes('retainKeys') === true,
    },
    ...(entry.default !== undefined && { default: entry.default }),
    ...(entry.enum !== undefined && { enum: entry.enum }),
    ...(entry.mergeKey !== undefined && { mergeKey: entry.mergeKey }),
  };
}

function typeOf(entry: TypeEntry): SchemaType {
  if (typeof entry === 'object') return 'list' in entry ? listOf(entry) : mapOf(entry);
  if (entry.startsWith('#')) return builtinStruct(entry.slice(1));
  if (entry.startsWith('!')) return atomicStruct(entry.slice(1));
  return entry === 'untyped' ? rawJson : { kind: 'scalar', scalar: entry as Scalar };
}

function listOf(entry: { list: ListType['list']; keys?: string[]; of: TypeEntry }): ListType {
  return { kind: 'list', list: entry.list, keys: entry.keys ?? [], item: typeOf(entry.of) };
}

function mapOf(entry: { map: 'granular' | 'atomic'; of: TypeEntry }): MapType {
  return { kind: 'map', atomic: entry.map === 'atomic', value: typeOf(entry.of) };
}

/** Returns a copy of a granular struct that is atomic where a field uses it. */
function atomicStruct(name: string): StructType {
  const entry = read().types[name];
  if (entry === undefined) throw new Error(`kinds.json has no type ${name}`);
  return new BuiltinStruct(name, entry, true);
}
