import {
  childPath,
  type FieldPath,
  indexPath,
  isJsonObject,
  jsonEquals,
  type JsonObject,
  type JsonValue,
} from '@keelson/structural-schema';
import { objectsAt } from '../../json/json-members.ts';

/** The part of a version that Kubernetes stores once if it is equal in all versions. */
export type SharedPart =
  | 'schema'
  | 'subresources'
  | 'additionalPrinterColumns'
  | 'selectableFields';

/** A part of one version, or of all of them, with its place in Kubernetes' internal form. */
export interface PlacedPart {
  readonly value: JsonValue | undefined;
  readonly path: FieldPath;
}

/** The names of the parts beside the versions. */
const sharedNames: Readonly<Record<SharedPart, string>> = {
  schema: 'validation',
  subresources: 'subresources',
  additionalPrinterColumns: 'additionalPrinterColumns',
  selectableFields: 'selectableFields',
};

/**
 * The internal form of a definition, in which kube-apiserver validates it. Parts that are equal in all versions stand
 * beside the versions, and causes name them there.
 */
export class InternalForm {
  readonly versions: readonly JsonObject[];
  readonly #shared: ReadonlySet<SharedPart>;

  constructor(spec: JsonObject) {
    this.versions = objectsAt(spec, 'versions');
    const parts = Object.keys(sharedNames) as SharedPart[];
    this.#shared = new Set(parts.filter((part) => this.#isEqualInAll(part)));
  }

  /** Returns the part that all versions share; undefined if they differ. */
  shared(part: SharedPart): PlacedPart | undefined {
    if (!this.#shared.has(part)) return undefined;
    return { value: valueOf(this.versions[0]?.[part]), path: childPath('spec', sharedNames[part]) };
  }

  /** Returns the part of a version that the others do not share. */
  own(index: number, part: SharedPart): PlacedPart | undefined {
    if (this.#shared.has(part)) return undefined;
    const value = valueOf(this.versions[index]?.[part]);
    return { value, path: childPath(indexPath('spec.versions', index), part) };
  }

  #isEqualInAll(part: SharedPart): boolean {
    const [first] = this.versions;
    return this.versions.every((each) => jsonEquals(valueOf(each[part]), valueOf(first?.[part])));
  }
}

/** An empty list counts as a missing one. */
function valueOf(value: JsonValue | undefined): JsonValue | undefined {
  if (value === null || (Array.isArray(value) && value.length === 0)) return undefined;
  return value;
}

/** Returns the schema of a part; undefined if it has none. */
export function schemaIn(part: PlacedPart | undefined): JsonObject | undefined {
  const value = part?.value;
  const schema = isJsonObject(value) ? value['openAPIV3Schema'] : undefined;
  return isJsonObject(schema) ? schema : undefined;
}
