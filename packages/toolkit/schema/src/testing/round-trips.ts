import {
  checkCount,
  checkFunction,
  checkOptions,
  invalidOption,
  thrownReason,
  type KubernetesObject,
} from '@keelson/apimachinery';
import { isJsonObject, jsonEquals, type JsonSchema, ownValue } from '@keelson/structural-schema';
import * as fc from 'fast-check';
import { SchemaError } from '../errors.ts';
import type { DefinedKind } from '../kind/single-kind.ts';
import { objectsOf } from './object-arbitrary.ts';

/** A kind of `defineKind` with several versions. */
export interface TestedKind {
  readonly hub: string;
  readonly versions: Readonly<Record<string, TestedVersion>>;
  readonly convert: (object: object, version: never) => KubernetesObject;
}

type TestedVersion = Pick<DefinedKind<KubernetesObject>, 'crd' | 'parse' | 'resource'>;

/** The choices of `roundTrips`. */
export interface RoundTripOptions<Kind extends TestedKind = TestedKind> {
  /** The number of objects of each version. Default: 100. */
  readonly runs?: number;
  /** The seed of an earlier failure. Default: random. */
  readonly seed?: number;
  /**
   * Generates `spec` and `status` of a version, in place of values from its schema: needed where a rule or a pattern
   * leaves few valid values, or where the text has a meaning.
   */
  readonly objects?: {
    readonly [Name in keyof Kind['versions']]?: fc.Arbitrary<ContentOf<Kind['versions'][Name]>>;
  };
  /**
   * Compares an object with the one that has returned, if both may be written in several ways. Default: both are equal
   * JSON.
   */
  readonly equal?: (before: KubernetesObject, after: KubernetesObject) => boolean;
}

/** The members of an object that a schema describes. */
type ContentOf<Version> = Version extends { readonly parse: (...args: never[]) => infer T }
  ? Omit<T, 'apiVersion' | 'kind' | 'metadata'>
  : object;

const DEFAULT_RUNS = 100;

/** The most generated objects that validation may refuse, for each one that it accepts. */
const MAX_SKIPS = 20;

/**
 * Tests that no conversion of a kind loses data. It generates valid objects of each version from its schema, converts
 * them to the hub and back, and objects of the hub to each other version and back. Each result must be valid, and the
 * object that returns must be equal. Throws `ROUND_TRIP_FAILED` with the smallest object that fails, and
 * `OBJECTS_NOT_GENERATED` if nearly no generated object is valid.
 *
 * @example
 * ```ts
 * import { roundTrips } from '@keelson/schema/testing';
 * import { defineKind } from '@keelson/schema';
 * import * as z from 'zod';
 *
 * const Timer = defineKind({
 *   group: 'example.com',
 *   kind: 'Timer',
 *   plural: 'timers',
 *   versions: {
 *     v1: { spec: z.object({ seconds: z.int() }) },
 *     v1beta1: { spec: z.object({ delay: z.int() }), deprecated: true },
 *   },
 *   convert: {
 *     hub: 'v1',
 *     from: { v1beta1: ({ spec, ...rest }) => ({ ...rest, spec: { seconds: spec.delay } }) },
 *     to: { v1beta1: ({ spec, ...rest }) => ({ ...rest, spec: { delay: spec.seconds } }) },
 *   },
 * });
 * // Throws with the smallest object that a conversion there and back changes.
 * roundTrips(Timer);
 * ```
 */
export function roundTrips<const Kind extends TestedKind>(
  kind: Kind,
  options: RoundTripOptions<NoInfer<Kind>> = {},
): void {
  checkRoundTrip(kind, options);
  const others = Object.keys(kind.versions).filter((version) => version !== kind.hub);
  for (const version of others) {
    test(kind, options, { from: version, to: kind.hub });
    test(kind, options, { from: kind.hub, to: version });
  }
}

interface Trip {
  readonly from: string;
  readonly to: string;
}

function test(kind: TestedKind, options: RoundTripOptions, trip: Trip): void {
  const version = kind.versions[trip.from] as TestedVersion;
  const given = options.objects?.[trip.from];
  const objects =
    given ?? objectsOf(schemaOf(version), `${kind.versions[kind.hub]?.resource.kind} ${trip.from}`);
  let refusal: unknown;
  const property = fc.property(objects, metadatas, (content, metadata) => {
    let object: KubernetesObject;
    try {
      object = version.parse({ ...content, metadata });
    } catch (error) {
      refusal = error;
      fc.pre(false);
      return;
    }
    const failure = failureOf(kind, options, trip, object);
    if (failure !== undefined) throw new FailedTrip(failure);
  });
  const { runs = DEFAULT_RUNS, seed } = options;
  const details = fc.check(property, {
    numRuns: runs,
    maxSkipsPerRun: MAX_SKIPS,
    ...(seed !== undefined && { seed }),
  });
  if (!details.failed) return;
  const { kind: name } = version.resource;
  if (details.errorInstance instanceof FailedTrip) {
    const { failure } = details.errorInstance;
    throw new SchemaError('ROUND_TRIP_FAILED', {
      kind: name,
      ...trip,
      ...failure,
      seed: details.seed,
    });
  }
  if (details.errorInstance !== null && details.errorInstance !== undefined)
    throw details.errorInstance;
  const reason = thrownReason(refusal);
  throw new SchemaError(
    'OBJECTS_NOT_GENERATED',
    { kind: name, version: trip.from, reason },
    { cause: refusal },
  );
}

/** The loss of a trip. */
interface TripFailure {
  readonly reason: string;
  /** The object, and what the conversions gave, as JSON. */
  readonly object: string;
  readonly converted?: string;
  readonly returned?: string;
}

/** Carries a failure through the search for a smaller object. */
class FailedTrip extends Error {
  readonly failure: TripFailure;

  constructor(failure: TripFailure) {
    super(failure.reason);
    this.failure = failure;
  }
}

function failureOf(
  { convert, versions }: TestedKind,
  { equal = isEqual }: RoundTripOptions,
  { from, to }: Trip,
  object: KubernetesObject,
): TripFailure | undefined {
  const facts: { object: string; converted?: string; returned?: string } = {
    object: jsonOf(object),
  };
  try {
    const converted = convert(object, to as never);
    facts.converted = jsonOf(converted);
    versions[to]?.parse(converted);
    const returned = convert(converted, from as never);
    facts.returned = jsonOf(returned);
    if (equal(object, returned)) return undefined;
    const path = firstDifference(object, returned) ?? 'the object';
    return { reason: `${path} differs after the way back`, ...facts };
  } catch (error) {
    return { reason: thrownReason(error), ...facts };
  }
}

function isEqual(before: KubernetesObject, after: KubernetesObject): boolean {
  return jsonEquals(before, after);
}

function jsonOf(object: KubernetesObject): string {
  const { apiVersion: _, kind: __, ...content } = object;
  return JSON.stringify(content);
}

function firstDifference(one: unknown, other: unknown, path = ''): string | undefined {
  if (isJsonObject(one) && isJsonObject(other)) {
    const names = new Set([...Object.keys(one), ...Object.keys(other)]);
    const paths = [...names].map((name) =>
      firstDifference(
        ownValue(one, name),
        ownValue(other, name),
        path === '' ? name : `${path}.${name}`,
      ),
    );
    return paths.find((each) => each !== undefined);
  }
  return JSON.stringify(one) === JSON.stringify(other) ? undefined : path;
}

/** Conversions may change labels and annotations, and must not lose them. The server stores no empty map. */
const metadatas = fc.record(
  {
    name: fc.constant('a'),
    labels: fc.dictionary(fc.constantFrom('app', 'shop.example/tier'), fc.constantFrom('', 'a'), {
      minKeys: 1,
    }),
    annotations: fc.dictionary(fc.constantFrom('note', 'shop.example/note'), fc.string(), {
      minKeys: 1,
    }),
  },
  { requiredKeys: ['name'], noNullPrototype: true },
);

function schemaOf({ crd }: TestedVersion): JsonSchema {
  return (crd.spec.versions[0]?.schema?.openAPIV3Schema ?? {}) as JsonSchema;
}

function checkRoundTrip(kind: TestedKind, options: RoundTripOptions): void {
  const { versions } = (kind ?? {}) as Partial<TestedKind>;
  if (!isJsonObject(versions) || typeof kind.convert !== 'function') {
    throw invalidOption('roundTrips.kind', 'must be a kind of defineKind with several versions');
  }
  checkOptions(options, ['runs', 'seed', 'objects', 'equal'], 'roundTrips');
  const { runs, seed, objects = {}, equal } = options;
  if (runs !== undefined) checkCount(runs, 'roundTrips.runs');
  if (seed !== undefined && !Number.isSafeInteger(seed)) {
    throw invalidOption('roundTrips.seed', 'must be the seed of a failure');
  }
  checkOptions(objects, Object.keys(versions), 'roundTrips.objects');
  for (const [version, arbitrary] of Object.entries(objects)) {
    const generate: unknown = (arbitrary as Partial<fc.Arbitrary<unknown>> | undefined)?.generate;
    checkFunction(generate, `roundTrips.objects.${version}.generate`);
  }
  if (equal !== undefined) checkFunction(equal, 'roundTrips.equal');
}
