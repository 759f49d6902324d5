import { isJsonObject, type JsonObject, type JsonValue, lazy } from '@keelson/structural-schema';
import { newestVersion } from '../../releases/kubernetes-version.ts';
import { builtinType } from '../../schema/builtin-types.ts';
import { byCodeUnit } from '../../storage/sorted-keys.ts';
import type { Field, SchemaType, StructType } from '../../schema/schema-type.ts';

const specType = lazy(() => {
  const kind = { group: 'resource.k8s.io', version: 'v1', kind: 'ResourceClaim' };
  const claim = builtinType(kind, newestVersion);
  const type = claim?.fields.get('spec')?.type;
  if (type?.kind !== 'struct') throw new Error('no type of the spec of a ResourceClaim');
  return type;
});

/**
 * Returns the spec of a ResourceClaim as kube-apiserver prints it in a message: its internal structs have all members,
 * with capital names.
 */
export function shownClaimSpec(spec: JsonObject): JsonObject {
  return shownStruct(specType(), spec);
}

function shownStruct(type: StructType, object: JsonObject): JsonObject {
  const fields = [...type.fields].toSorted(([left], [right]) =>
    byCodeUnit(goName(left), goName(right)),
  );
  return Object.fromEntries(
    fields.map(([name, field]) => {
      const value = object[name];
      return [goName(name), value === undefined ? zeroOf(field) : shown(field.type, value)];
    }),
  );
}

function shown(type: SchemaType, value: JsonValue): JsonValue {
  if (Array.isArray(value)) {
    return type.kind === 'list' ? value.map((item) => shown(type.item, item)) : value;
  }
  return type.kind === 'struct' && isJsonObject(value) ? shownStruct(type, value) : value;
}

function zeroOf({ type, empty }: Field): JsonValue {
  if (type.kind !== 'scalar' || empty === 'optional') return null;
  if (type.scalar === 'string') return '';
  return type.scalar === 'boolean' ? false : 0;
}

function goName(name: string): string {
  return name === 'cel' ? 'CEL' : `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
}
