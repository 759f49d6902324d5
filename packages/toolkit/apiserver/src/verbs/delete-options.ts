import type { StatusCause } from '@keelson/apimachinery';
import type { ApiRequest } from '../http/api-request.ts';
import { isTrue } from '../http/request-info.ts';
import type { JsonObject } from '@keelson/structural-schema';
import { DecodeError } from '../schema/decode-error.ts';
import { decode } from '../schema/decode.ts';
import type { Scalar, SchemaType, StructType } from '../schema/schema-type.ts';
import { badRequest, notRegistered } from '../status-errors/status-errors.ts';
import { decodeObject } from './writes/object-body.ts';
import { dryRunCauses, invalidOptions } from './writes/write-options.ts';

export type PropagationPolicy = 'Background' | 'Foreground' | 'Orphan';

export interface DeleteOptions {
  readonly dryRun: boolean;
  readonly propagationPolicy: PropagationPolicy | undefined;
  readonly gracePeriodSeconds: number | undefined;
  readonly preconditions: { readonly uid?: string; readonly resourceVersion?: string };
  /** The options as the client has given them. */
  readonly given?: JsonObject;
}

/** Reads the options from the body, or from the query if the body is empty. Throws 422, naming the member. */
export async function deleteOptions(request: ApiRequest): Promise<DeleteOptions> {
  const body = await request.body();
  const given = body.length === 0 ? fromQuery(request.query) : await fromBody(request, body);
  return readDeleteOptions(given);
}

/** Validates decoded options. Throws 422, naming the member. */
export function readDeleteOptions(given: GivenOptions): DeleteOptions {
  const causes = causesOf(given);
  if (causes.length > 0) throw invalidOptions('DeleteOptions', causes);
  return {
    dryRun: (given.dryRun ?? []).length > 0,
    propagationPolicy: policyOf(given),
    gracePeriodSeconds: given.gracePeriodSeconds,
    preconditions: given.preconditions ?? {},
    given: givenMembers(given),
  };
}

/** Delete options as received. */
export interface GivenOptions {
  dryRun?: string[];
  propagationPolicy?: string;
  orphanDependents?: boolean;
  gracePeriodSeconds?: number;
  preconditions?: { uid?: string; resourceVersion?: string };
}

const members = [
  'gracePeriodSeconds',
  'preconditions',
  'orphanDependents',
  'propagationPolicy',
  'dryRun',
] as const;

function givenMembers(given: GivenOptions): JsonObject {
  const present = members.flatMap((name) => {
    const value = given[name];
    return value === undefined || (Array.isArray(value) && value.length === 0)
      ? []
      : [[name, value]];
  });
  return Object.fromEntries(present) as JsonObject;
}

function fromQuery(query: URLSearchParams): GivenOptions {
  const policy = query.get('propagationPolicy');
  const orphan = query.get('orphanDependents');
  const grace = query.get('gracePeriodSeconds');
  if (grace !== null && !/^[+-]?\d+$/.test(grace)) {
    throw badRequest(`strconv.ParseInt: parsing ${JSON.stringify(grace)}: invalid syntax`);
  }
  return {
    dryRun: query.getAll('dryRun'),
    ...(policy !== null && { propagationPolicy: policy }),
    ...(orphan !== null && { orphanDependents: isTrue(orphan) }),
    ...(grace !== null && { gracePeriodSeconds: Number(grace) }),
  };
}

async function fromBody(request: ApiRequest, body: Buffer): Promise<GivenOptions> {
  const { value } = await decodeObject(body, request.headers['content-type']);
  const { kind = 'DeleteOptions', apiVersion = 'v1' } = value;
  if (kind !== 'DeleteOptions') {
    throw badRequest(notRegistered(String(apiVersion), String(kind)));
  }
  try {
    decode(optionsType, value as JsonObject);
  } catch (error) {
    if (error instanceof DecodeError) throw badRequest(error.message);
    throw error;
  }
  return value;
}

/** The type of DeleteOptions, which is not in the data files because it has no metadata. */
const optionsType = structOf('v1.DeleteOptions', {
  dryRun: { kind: 'list', list: 'atomic', keys: [], item: scalarOf('string') },
  gracePeriodSeconds: scalarOf('int64'),
  orphanDependents: scalarOf('boolean'),
  preconditions: structOf('v1.Preconditions', {
    uid: scalarOf('string'),
    resourceVersion: scalarOf('string'),
  }),
  propagationPolicy: scalarOf('string'),
});

function scalarOf(scalar: Scalar): SchemaType {
  return { kind: 'scalar', scalar };
}

function structOf(name: string, types: Readonly<Record<string, SchemaType>>): StructType {
  const patch = { merge: false, retainKeys: false };
  const fields = Object.entries(types).map(
    ([field, type]) => [field, { type, required: false, empty: 'optional', patch }] as const,
  );
  return { kind: 'struct', name, atomic: false, fields: new Map(fields), present: [], open: false };
}

function policyOf(given: GivenOptions): PropagationPolicy | undefined {
  if (given.orphanDependents !== undefined) return given.orphanDependents ? 'Orphan' : 'Background';
  return given.propagationPolicy as PropagationPolicy | undefined;
}

function causesOf(given: GivenOptions): StatusCause[] {
  const { propagationPolicy: policy, orphanDependents } = given;
  const causes = dryRunCauses(given.dryRun ?? []);
  const value = JSON.stringify(policy);
  if (policy !== undefined && orphanDependents !== undefined) {
    causes.push({
      reason: 'FieldValueInvalid',
      message: `Invalid value: ${value}: orphanDependents and deletionPropagation cannot be both set`,
      field: 'propagationPolicy',
    });
  } else if (policy !== undefined && !policies.has(policy)) {
    causes.push({
      reason: 'FieldValueNotSupported',
      message: `Unsupported value: ${value}: supported values: "Foreground", "Background", "Orphan", "nil"`,
      field: 'propagationPolicy',
    });
  }
  return causes;
}

const policies: ReadonlySet<string> = new Set(['Background', 'Foreground', 'Orphan']);
