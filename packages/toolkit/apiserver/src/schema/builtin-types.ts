import { readDataFile } from '../data-file.ts';
import { type KubernetesVersion, newestVersion } from '../releases/kubernetes-version.ts';
import { releaseDifference } from '../releases/release-difference.ts';
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

/** Identifies a kind. */
export interface GroupVersionKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

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

/** Returns the type of a built-in kind in a version of Kubernetes; `undefined` if the kind is unknown. */
export function builtinType(
  { group, version, kind }: GroupVersionKind,
  release: KubernetesVersion,
): StructType | undefined {
  const name = read().kinds[`${group}/${version}/${kind}`];
  return name === undefined || entryOf(name, release) === undefined
    ? undefined
    : builtinStruct(name, release);
}

/** Returns the type of `metadata`, the same for custom resources and built-in kinds. */
export function objectMetaType(): StructType {
  return builtinStruct('meta.v1.ObjectMeta');
}

/** Returns the type of a struct by its name, such as `core.v1.Container`. */
export function builtinStruct(
  name: string,
  release: KubernetesVersion = newestVersion,
): StructType {
  const key = `${release} ${name}`;
  const known = structs().get(key);
  if (known !== undefined) return known;
  const entry = presentEntry(name, release);
  const struct = new BuiltinStruct({ name, release }, entry, entry.atomic === true);
  structs().set(key, struct);
  return struct;
}

function presentEntry(name: string, release: KubernetesVersion): StructEntry {
  const entry = entryOf(name, release);
  if (entry === undefined) throw new Error(`kinds.json has no type ${name}`);
  return entry;
}

/** The data of a type; `undefined` if the version of Kubernetes does not have it. */
function entryOf(name: string, release: KubernetesVersion): StructEntry | undefined {
  const { types = {} } = releaseDifference(release) ?? {};
  if (!Object.hasOwn(types, name)) return read().types[name];
  return (types[name] as StructEntry | null) ?? undefined;
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
  readonly #release: KubernetesVersion;
  #fields: ReadonlyMap<string, Field> | undefined;
  #present: readonly (readonly [string, Field])[] | undefined;

  constructor(
    { name, release }: { readonly name: string; readonly release: KubernetesVersion },
    entry: StructEntry,
    atomic: boolean,
  ) {
    this.name = name;
    this.#release = release;
    this.atomic = atomic;
    this.#entry = entry;
  }

  get fields(): ReadonlyMap<string, Field> {
    this.#fields ??= fieldsOf(this.#entry, this.#release);
    return this.#fields;
  }

  get present(): readonly (readonly [string, Field])[] {
    this.#present ??= [...this.fields].filter(
      ([, field]) => field.empty === 'zero' || field.empty === 'null',
    );
    return this.#present;
  }
}

function fieldsOf(entry: StructEntry, release: KubernetesVersion): ReadonlyMap<string, Field> {
  return new Map(
    Object.entries(entry.fields).map(([name, field]) => [
      name,
      fieldOf(typeof field === 'object' && 'type' in field ? field : { type: field }, release),
    ]),
  );
}

function fieldOf(entry: FieldEntry, release: KubernetesVersion): Field {
  const isStruct = typeof entry.type === 'string' && /^[#!~]/.test(entry.type);
  return {
    type: typeOf(entry.type, release),
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

function typeOf(entry: TypeEntry, release: KubernetesVersion): SchemaType {
  if (typeof entry === 'object') {
    return 'list' in entry ? listOf(entry, release) : mapOf(entry, release);
  }
  if (entry.startsWith('#')) return builtinStruct(entry.slice(1), release);
  if (entry.startsWith('!')) return structAs(entry.slice(1), release, true);
  if (entry.startsWith('~')) return structAs(entry.slice(1), release, false);
  return entry === 'untyped' ? rawJson : { kind: 'scalar', scalar: entry as Scalar };
}

function listOf(
  entry: { list: ListType['list']; keys?: string[]; of: TypeEntry },
  release: KubernetesVersion,
): ListType {
  const item = typeOf(entry.of, release);
  return { kind: 'list', list: entry.list, keys: entry.keys ?? [], item };
}

function mapOf(
  entry: { map: 'granular' | 'atomic'; of: TypeEntry },
  release: KubernetesVersion,
): MapType {
  return { kind: 'map', atomic: entry.map === 'atomic', value: typeOf(entry.of, release) };
}

/** Returns a copy of a struct that is atomic or granular where a field uses it. */
function structAs(name: string, release: KubernetesVersion, atomic: boolean): StructType {
  return new BuiltinStruct({ name, release }, presentEntry(name, release), atomic);
}
