import { isJsonObject, type JsonObject } from '../../types/definition/custom-kind.ts';

/** A version of a definition. */
export interface VersionSchema {
  readonly name: string;
  readonly schema?: { readonly openAPIV3Schema?: unknown };
}

/** A field that one version has, and that another one lacks or has with another type. */
export interface LostField {
  readonly field: string;
  readonly from: string;
  readonly to: string;
}

/** Finds a field whose value is lost if an object of one version becomes one of another version without a conversion. */
export function lostField(versions: readonly VersionSchema[]): LostField | undefined {
  for (const from of versions) {
    for (const to of versions) {
      const field = lostIn(schemaOf(from), schemaOf(to), '');
      if (field !== undefined) return { field, from: from.name, to: to.name };
    }
  }
  return undefined;
}

function schemaOf({ schema }: VersionSchema): JsonObject {
  return isJsonObject(schema?.openAPIV3Schema) ? schema.openAPIV3Schema : {};
}

function lostIn(one: JsonObject, other: JsonObject, path: string): string | undefined {
  if (other['x-kubernetes-preserve-unknown-fields'] === true) return undefined;
  if (one['type'] !== other['type']) return path;
  for (const part of ['items', 'additionalProperties'] as const) {
    const [before, after] = [one[part], other[part]];
    if (!isJsonObject(before)) continue;
    const below = part === 'items' ? `${path}[]` : `${path}.*`;
    const lost = isJsonObject(after) ? lostIn(before, after, below) : below;
    if (lost !== undefined) return lost;
  }
  const members = new Map(Object.entries(membersOf(other)));
  for (const [name, member] of Object.entries(membersOf(one))) {
    const field = path === '' ? name : `${path}.${name}`;
    const after = members.get(name) ?? other['additionalProperties'];
    const lost = isJsonObject(member) && isJsonObject(after) ? lostIn(member, after, field) : field;
    if (lost !== undefined) return lost;
  }
  return undefined;
}

function membersOf({ properties }: JsonObject): JsonObject {
  return isJsonObject(properties) ? properties : {};
}
