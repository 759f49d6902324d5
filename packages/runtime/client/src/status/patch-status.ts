import {
  aggregateConditions,
  checkOptions,
  checkSignal,
  invalidOption,
  isConflict,
  isNotFound,
  setCondition,
  type AggregateOptions,
  type ApiResource,
  type Condition,
  type DeepReadonly,
  type KubernetesObject,
  type NewCondition,
  type Persisted,
} from '@keelson/apimachinery';
import { nodeUtil } from '../values/node-util.ts';
import type { JsonPatchOperation } from '../verbs/calls/patch.ts';
import { nameOf } from '../verbs/calls/resource-path.ts';
import type { Client } from '../verbs/client.ts';

/**
 * The members of a status that a controller determined. A member that is left out or `undefined` stays as it is, and
 * `null` removes it. `conditions` holds the conditions to set, without their times; conditions of other types stay.
 */
export type StatusChange<T extends KubernetesObject> = T extends { status?: infer Status }
  ? {
      readonly [Name in keyof NonNullable<Status>]?:
        | (Name extends 'conditions'
            ? readonly NewCondition[]
            : DeepReadonly<NonNullable<Status>[Name]>)
        | null
        | undefined;
    }
  : { readonly [name: string]: unknown };

/** A condition that sums up others, as the object has them after the write of `patchStatus`. */
export type StatusSummary = Omit<AggregateOptions, 'generation'>;

/** Optional parts of a write of the status. */
export interface StatusOptions {
  /**
   * Sums conditions up as `aggregateConditions` does, for the generation of `object`, and writes the result as one more
   * condition in the same patch. Default: none.
   */
  readonly summary?: StatusSummary | undefined;
}

/** The object and its new status. */
export interface PatchStatusOptions<T extends KubernetesObject> extends StatusOptions {
  /** The client of the reconcile. */
  readonly client: Pick<Client, 'get' | 'status'>;
  /** The kind of the object; it needs the subresource `status`. */
  readonly resource: ApiResource<T>;
  /** The object as the reconcile read it. */
  readonly object: DeepReadonly<Persisted<T>>;
  readonly status: StatusChange<NoInfer<T>>;
  /** Aborts the requests. Default: none. */
  readonly signal?: AbortSignal;
}

/** The members of an object that decide about a change of its status. */
interface WithStatus {
  readonly metadata: { readonly resourceVersion: string; readonly generation?: number };
  readonly status?: Readonly<Record<string, unknown>>;
}

/** Attempts before the conflict is thrown, as many as client-go's `DefaultRetry` makes. */
const MAX_ATTEMPTS = 5;

/**
 * Writes the members of `status` that differ from those of the object, and sends nothing if none does. A condition
 * keeps its `lastTransitionTime` while its status stays the same, and gets the generation of `object` as its
 * `observedGeneration`. The write carries the resourceVersion; after a conflict the object is read and compared again,
 * so that changes of other clients are kept. Resolves with the object as it is then, or with `undefined` if it no
 * longer exists. Rejects with the fifth conflict in a row.
 *
 * @example
 * ```ts
 * import { builtin, patchStatus, type Client } from '@keelson/manager';
 *
 * export async function setReplicas(client: Client): Promise<void> {
 *   const object = await client.get(builtin.Deployment, { namespace: 'default', name: 'web' });
 *   // Sends nothing if the status is already so.
 *   await patchStatus({ client, resource: builtin.Deployment, object, status: { replicas: 3 } });
 * }
 * ```
 */
export async function patchStatus<T extends KubernetesObject>(
  options: PatchStatusOptions<T>,
): Promise<DeepReadonly<Persisted<T>> | undefined> {
  check(options);
  const { uid } = options.object.metadata;
  let object: DeepReadonly<Persisted<T>> | undefined = options.object;
  for (let attempt = 1; object !== undefined; attempt += 1) {
    const operations = operationsFor(object, options);
    if (operations.length === 0) return object;
    try {
      return await write(options, operations);
    } catch (error) {
      const isMissing = isNotFound(error);
      if (!isMissing && (!isConflict(error) || attempt === MAX_ATTEMPTS)) throw error;
      object = await read(options);
      // A new object of the same name has its own status.
      if (object?.metadata.uid !== uid) return undefined;
      // The object exists, so the 404 means that its kind has no subresource `status`.
      if (isMissing) throw error;
    }
  }
  return undefined;
}

function check<T extends KubernetesObject>(options: PatchStatusOptions<T>): void {
  const where = 'patchStatus';
  checkOptions(options, ['client', 'resource', 'object', 'status', 'summary', 'signal'], where);
  const { resource, object, status, summary, signal } = options;
  const isToken = typeof (resource as Partial<ApiResource> | null)?.plural === 'string';
  if (!isToken) throw invalidOption(`${where}.resource`, 'must be a resource token');
  const { name, resourceVersion } = (object as Partial<Persisted<T>> | null)?.metadata ?? {};
  if (!name || !resourceVersion) {
    throw invalidOption(`${where}.object`, 'must be an object from the cache or the client');
  }
  checkStatusChange(status, `${where}.status`);
  if (summary !== undefined) checkSummary(summary, status, `${where}.summary`);
  checkSignal(signal, `${where}.signal`);
}

function checkSummary(
  summary: StatusSummary,
  { conditions }: { readonly conditions?: unknown },
  where: string,
): void {
  checkOptions(summary, ['type', 'of', 'reason'], where);
  aggregateConditions([], summary);
  if (conditions === null) throw invalidOption(where, 'has no meaning if `conditions` is null');
  const others = ((conditions ?? []) as readonly NewCondition[]).map((one) => one?.type);
  if (others.includes(summary.type))
    throw invalidOption(`${where}.type`, 'must be a condition of its own');
}

/** Throws `INVALID_OPTION` for a change that `patchStatus` cannot send; `where` is its name in the error. */
export function checkStatusChange(status: unknown, where: string): asserts status is object {
  if (typeof status !== 'object' || status === null || Array.isArray(status)) {
    throw invalidOption(where, 'must be an object with members of the status');
  }
  const { conditions } = status as { readonly conditions?: unknown };
  if (conditions !== undefined && conditions !== null && !Array.isArray(conditions)) {
    throw invalidOption(`${where}.conditions`, 'must be a list of conditions');
  }
  for (const [name, given] of Object.entries(status)) {
    if (given !== undefined && given !== null) jsonOf(given, `${where}.${name}`);
  }
}

/** The parts of the options that decide about the content of a write. */
interface StatusWrite extends StatusOptions {
  readonly status: object;
  readonly object: WithStatus;
}

/** The JSON patch that makes the status of the object equal to the change. */
function operationsFor(
  object: WithStatus,
  { status: change, object: reconciled, summary }: StatusWrite,
): JsonPatchOperation[] {
  const { status } = object;
  // The conditions are about this generation. After a conflict the object may have a newer one.
  const { generation } = reconciled.metadata;
  const operations: JsonPatchOperation[] = [];
  const members = summary === undefined ? change : { conditions: [], ...change };
  for (const [name, given] of Object.entries(members)) {
    const path = `/status/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
    const present = status !== undefined && Object.hasOwn(status, name) ? status[name] : undefined;
    const wanted = wantedValue(name, given, { generation, present, summary });
    if (nodeUtil.isDeepStrictEqual(wanted, present)) continue;
    operations.push(
      wanted === undefined ? { op: 'remove', path } : { op: 'add', path, value: wanted },
    );
  }
  if (operations.length === 0) return [];
  const value = object.metadata.resourceVersion;
  const lock: JsonPatchOperation = { op: 'replace', path: '/metadata/resourceVersion', value };
  const parent: JsonPatchOperation = { op: 'add', path: '/status', value: {} };
  return [lock, ...(status === undefined ? [parent] : []), ...operations];
}

/** Returns the value of a member after the change; `undefined` if the member is missing then. */
function wantedValue(
  name: string,
  given: unknown,
  { present, ...rules }: ConditionRules & { readonly present: unknown },
): unknown {
  if (given === undefined && (name !== 'conditions' || rules.summary === undefined)) return present;
  if (given === null) return undefined;
  if (name !== 'conditions') return jsonOf(given, `patchStatus.status.${name}`);
  const determined = (given ?? []) as readonly NewCondition[];
  return conditionsAfter(present as readonly Condition[] | undefined, determined, rules);
}

/** The facts that decide about the conditions of a write. */
interface ConditionRules extends StatusOptions {
  /** The generation of the object that the reconcile read. */
  readonly generation: number | undefined;
}

function conditionsAfter(
  present: readonly Condition[] | undefined,
  given: readonly NewCondition[],
  { generation, summary }: ConditionRules,
): readonly Condition[] | undefined {
  const observed = generation === undefined ? {} : { observedGeneration: generation };
  let conditions = present;
  for (const condition of given) {
    conditions = setCondition(conditions, { ...observed, ...condition });
  }
  if (summary === undefined) return conditions;
  const summed = aggregateConditions(conditions, { ...summary, generation });
  return setCondition(conditions, { ...observed, ...summed });
}

/** Returns the value as the server receives it. Throws `INVALID_OPTION` for a function, a bigint or a cycle. */
function jsonOf(given: unknown, where: string): unknown {
  try {
    return JSON.parse(JSON.stringify(given));
  } catch {
    throw invalidOption(where, 'must be a JSON value');
  }
}

async function write<T extends KubernetesObject>(
  { client, resource, object, signal }: PatchStatusOptions<T>,
  body: readonly JsonPatchOperation[],
): Promise<DeepReadonly<Persisted<T>>> {
  const patch = { type: 'json', body } as const;
  const written = client.status(resource).patch(nameOf(resource, object), patch, { signal });
  return (await written) as DeepReadonly<Persisted<T>>;
}

async function read<T extends KubernetesObject>({
  client,
  resource,
  object,
  signal,
}: PatchStatusOptions<T>): Promise<DeepReadonly<Persisted<T>> | undefined> {
  try {
    const found = await client.get<T>(resource, nameOf(resource, object), { signal });
    return found as DeepReadonly<Persisted<T>>;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}
