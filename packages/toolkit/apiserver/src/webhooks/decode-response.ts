import type { JsonObject } from '@keelson/structural-schema';
import { goKind } from '../json/json-syntax-error.ts';
import { notRegistered } from '../status-errors/status-errors.ts';
import { DecodeError } from '../schema/decode-error.ts';
import { decode } from '../schema/decode.ts';
import type { Field, ScalarType, SchemaType, StructType } from '../schema/schema-type.ts';
import { WebhookCallError } from './webhook-call-error.ts';

/** The type of the review that a webhook should send. */
export interface ExpectedReview {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/**
 * Refuses a review of another type with the words of Go, which decodes it by its own type. For what is missing it takes the
 * expected type.
 */
export function checkRegistered({ apiVersion, kind }: JsonObject, expected: ExpectedReview): void {
  if (!apiVersion || !kind) return;
  const { group, version } = expected;
  if (apiVersion === `${group}/${version}` && kind === expected.kind) return;
  const given = apiVersion === `${group}/v1` ? 'v1' : 'v1beta1';
  if (apiVersion === `${group}/${given}` && kind === expected.kind) {
    const [from, to] = [given, version].map((each) => `(${each}.${expected.kind})`);
    throw new WebhookCallError(`converting ${from} to ${to}: unknown conversion`);
  }
  throw new WebhookCallError(notRegistered(apiVersion, kind));
}

/** The error of Go's decoder for a member of another type. */
export function mistyped(field: string, value: unknown, type: string): WebhookCallError {
  return new WebhookCallError(
    `json: cannot unmarshal ${goKind(value)} into Go struct field ${field} of type ${type}`,
  );
}

/**
 * Decodes a response in place by the type of its review: checks the types of its members, and drops unknown ones. Throws
 * `WebhookCallError` with the words of Go.
 */
export function decodeResponse(review: StructType, response: JsonObject): void {
  try {
    decode(review, { response });
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    throw new WebhookCallError(error.message, undefined, { cause: error });
  }
}

/** The type of a text. */
export const string: ScalarType = { kind: 'scalar', scalar: 'string' };

/** The type of an object with these members. */
export function structOf(name: string, types: Readonly<Record<string, SchemaType>>): StructType {
  const fields = Object.entries(types).map(([member, type]): [string, Field] => [
    member,
    { type, required: false, empty: 'optional', patch: { merge: false, retainKeys: false } },
  ]);
  return { kind: 'struct', name, atomic: false, open: false, present: [], fields: new Map(fields) };
}
