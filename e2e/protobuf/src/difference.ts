import type { ProtobufFormats } from '@keelson/wire';
import type { GoObject } from './go-object.ts';

/** The JSON of an object from which a StatefulSet is decoded. */
interface WithClaims {
  readonly spec?: {
    readonly volumeClaimTemplates?: readonly { kind?: string; apiVersion?: string }[];
  };
}

const CONTEXT = 80;

/**
 * Decodes the protobuf of an object and compares the result with its JSON, the order of members included. Returns a sentence
 * for a difference, and `undefined` if both are equal.
 */
export function differenceOf(formats: ProtobufFormats, object: GoObject): string | undefined {
  const { apiVersion, kind, protobuf, json } = object;
  const name = `${apiVersion} ${kind}`;
  const format = formats.find(apiVersion, kind);
  if (format === undefined) return `${name}: the table does not have the kind`;
  let decoded: unknown;
  try {
    decoded = format.decode(protobuf, 0, protobuf.length);
  } catch (error) {
    return `${name}: ${String(error)} ${JSON.stringify((error as { facts?: unknown }).facts)}`;
  }
  const sent: unknown = JSON.parse(json);
  const actual = JSON.stringify(withoutClaimTypes(decoded as WithClaims));
  const expected = JSON.stringify(sent);
  if (actual === expected) return undefined;
  let at = 0;
  while (actual[at] === expected[at]) at++;
  const [from, to] = [Math.max(0, at - CONTEXT), at + CONTEXT];
  return `${name}: decoded …${actual.slice(from, to)}… instead of …${expected.slice(from, to)}…`;
}

/**
 * Removes the type of the claims in a StatefulSet. kube-apiserver adds it to its JSON, and so does the decoder; Go's
 * encoders alone do not.
 */
function withoutClaimTypes(object: WithClaims): unknown {
  for (const claim of object.spec?.volumeClaimTemplates ?? []) {
    if (claim.apiVersion !== 'v1' || claim.kind !== 'PersistentVolumeClaim') {
      throw new Error('a claim of a StatefulSet has no type');
    }
    delete claim.apiVersion;
    delete claim.kind;
  }
  return object;
}
