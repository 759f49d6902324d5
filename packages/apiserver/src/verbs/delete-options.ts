import type { StatusCause } from '@keelson/apimachinery';
import type { ApiRequest } from '../http/api-request.ts';
import { isTrue } from '../http/request-info.ts';
import { isJsonObject } from '../patch/json-value.ts';
import { decodeObject } from './object-body.ts';
import { dryRunCauses, invalidOptions } from './write-options.ts';

export type PropagationPolicy = 'Background' | 'Foreground' | 'Orphan';

/** What a delete asks for. */
export interface DeleteOptions {
  readonly dryRun: boolean;
  readonly propagationPolicy: PropagationPolicy | undefined;
  readonly gracePeriodSeconds: number | undefined;
  readonly preconditions: { readonly uid?: string; readonly resourceVersion?: string };
}

/** Reads the body, or without one the query, of a delete: beside a body the query says nothing. Throws 422, naming the member. */
export async function deleteOptions(request: ApiRequest): Promise<DeleteOptions> {
  const body = await request.body();
  const given = body.length === 0 ? fromQuery(request.query) : await fromBody(request, body);
  return readDeleteOptions(given);
}

/** Checks decoded options. Throws 422, naming the member. */
export function readDeleteOptions(given: GivenOptions): DeleteOptions {
  const causes = causesOf(given);
  if (causes.length > 0) throw invalidOptions('DeleteOptions', causes);
  return {
    dryRun: (given.dryRun ?? []).length > 0,
    propagationPolicy: policyOf(given),
    gracePeriodSeconds: given.gracePeriodSeconds,
    preconditions: given.preconditions ?? {},
  };
}

/** Delete options as they are sent. */
export interface GivenOptions {
  dryRun?: string[];
  propagationPolicy?: string;
  orphanDependents?: boolean;
  gracePeriodSeconds?: number;
  preconditions?: { uid?: string; resourceVersion?: string };
}

function fromQuery(query: URLSearchParams): GivenOptions {
  const policy = query.get('propagationPolicy');
  const orphan = query.get('orphanDependents');
  const grace = query.get('gracePeriodSeconds');
  return {
    dryRun: query.getAll('dryRun'),
    ...(policy !== null && { propagationPolicy: policy }),
    ...(orphan !== null && { orphanDependents: isTrue(orphan) }),
    ...(grace !== null && { gracePeriodSeconds: Number(grace) }),
  };
}

async function fromBody(request: ApiRequest, body: Buffer): Promise<GivenOptions> {
  const { value } = await decodeObject(body, request.headers['content-type'], 'DeleteOptions');
  const { preconditions } = value;
  if (preconditions !== undefined && !isJsonObject(preconditions)) delete value['preconditions'];
  return value;
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
