import type { DeepReadonly, KubernetesObject } from '@keelson/apimachinery';

/** The type of the `spec` of a kind. */
export type SpecOf<T extends KubernetesObject> = T extends { spec?: infer Spec }
  ? NonNullable<Spec>
  : never;

/** The spec that a controller applied last, as it is stored. */
export interface LastApplied<Spec = unknown> {
  /** The version of the shape of `spec`. A stored record of another version counts as absent. */
  readonly schemaVersion: number;
  /** `metadata.generation` of the object when it had this spec. */
  readonly generation: number;
  /** The time at which the record was written, in RFC 3339. */
  readonly appliedAt: string;
  readonly spec: DeepReadonly<Spec>;
}

/** The versions and the object that a stored record must match. */
export interface RecordIdentity {
  readonly schemaVersion: number;
  readonly uid: string;
}

/**
 * The stored text of a record. It contains the uid, because annotations are copied with an object: the record of
 * another object of the same name counts as absent.
 */
export function encodeRecord(record: LastApplied, uid: string): string {
  const { schemaVersion, generation, appliedAt, spec } = record;
  return JSON.stringify({ schemaVersion, generation, appliedAt, uid, spec });
}

/**
 * Reads the stored text of a record. A text that is malformed, of another schema version or of another object counts
 * as absent.
 */
export function decodeRecord<Spec>(
  text: string | undefined,
  { schemaVersion, uid }: RecordIdentity,
): LastApplied<Spec> | undefined {
  const stored = parse(text);
  if (stored === undefined || !Object.hasOwn(stored, 'spec')) return undefined;
  const { generation, appliedAt, spec } = stored;
  if (stored['schemaVersion'] !== schemaVersion || stored['uid'] !== uid) return undefined;
  if (!Number.isSafeInteger(generation) || Number(generation) < 0) return undefined;
  if (typeof appliedAt !== 'string' || Number.isNaN(Date.parse(appliedAt))) return undefined;
  const known = spec as DeepReadonly<Spec>;
  return { schemaVersion, generation: Number(generation), appliedAt, spec: known };
}

function parse(text: string | undefined): Readonly<Record<string, unknown>> | undefined {
  if (typeof text !== 'string') return undefined;
  try {
    const value: unknown = JSON.parse(text);
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isObject ? (value as Readonly<Record<string, unknown>>) : undefined;
  } catch {
    return undefined;
  }
}
