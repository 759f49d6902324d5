import type { DeepReadonly, KubernetesObject, Persisted } from '@keelson/apimachinery';
import type { IntentHistory } from './intent-history.ts';
import type { IntentAccess, IntentPlace } from './intent-place.ts';
import { decodeRecord, encodeRecord, type LastApplied, type SpecOf } from './last-applied.ts';
import { readAgain } from './read-again.ts';
import { specDifference } from './spec-difference.ts';

/** A spec and the generation that it had. */
export interface AppliedSpec<Spec> {
  readonly generation: number;
  readonly spec: DeepReadonly<Spec>;
}

/** An object and its record. The record is not newer than the object. */
export interface CurrentIntent<T extends KubernetesObject> {
  readonly object: DeepReadonly<Persisted<T>>;
  readonly lastApplied: LastApplied<SpecOf<T>> | undefined;
}

/** Reads and writes the records of one kind at one place. */
export class IntentStore<T extends KubernetesObject> {
  readonly #place: IntentPlace<T>;
  readonly #history: IntentHistory<T> | undefined;
  readonly #schemaVersion: number;

  constructor(
    place: IntentPlace<T>,
    { history, schemaVersion }: { history: IntentHistory<T> | undefined; schemaVersion: number },
  ) {
    this.#place = place;
    this.#history = history;
    this.#schemaVersion = schemaVersion;
  }

  async read(access: IntentAccess<T>): Promise<LastApplied<SpecOf<T>> | undefined> {
    const { uid } = access.object.metadata;
    const text = await this.#place.read(access);
    return decodeRecord(text, { schemaVersion: this.#schemaVersion, uid });
  }

  /**
   * Returns the object and its record; `undefined` if the object no longer exists. Reads a stale object again, because
   * acting on it would restore a former spec. An object is stale if it is older than its record. A record in the object
   * itself is as stale as the object, so the object is read again if its spec differs from that record. A record that
   * is newer than the latest object counts as absent.
   */
  async current(access: IntentAccess<T>, mayBeOld: boolean): Promise<CurrentIntent<T> | undefined> {
    if (!mayBeOld) {
      const { object } = access;
      const lastApplied = await this.read(access);
      const mayHaveOldRecord =
        this.#place.isInObject === true && differs(lastApplied, object as KubernetesObject);
      if (!mayHaveOldRecord && !isNewer(lastApplied, object)) return { object, lastApplied };
    }
    const object = await readAgain(access);
    if (object === undefined) return undefined;
    const lastApplied = await this.read({ ...access, object });
    return { object, lastApplied: isNewer(lastApplied, object) ? undefined : lastApplied };
  }

  /** Throws if the place cannot store the spec. */
  check(access: IntentAccess<T>, applied: AppliedSpec<SpecOf<T>>): void {
    this.#place.check?.(access, this.#encode(access, applied));
  }

  /**
   * Writes the record if it differs from the last one. Returns the object after the write; `undefined` if the object or
   * its new state is not known.
   */
  async write(
    access: IntentAccess<T>,
    applied: AppliedSpec<SpecOf<T>>,
    lastApplied: LastApplied<SpecOf<T>> | undefined,
  ): Promise<DeepReadonly<Persisted<T>> | undefined> {
    const { generation, spec } = applied;
    const isSame = generation === lastApplied?.generation;
    if (isSame && specDifference(lastApplied.spec, spec).isEmpty) return undefined;
    this.check(access, applied);
    const text = this.#encode(access, applied);
    // The history first: a crash before the record leads to a repetition, which replaces the same entry.
    await this.#history?.add(access, generation, text);
    const written = await this.#place.write(access, text);
    await this.#history?.prune(access);
    return written ?? undefined;
  }

  #encode({ object }: IntentAccess<T>, { generation, spec }: AppliedSpec<SpecOf<T>>): string {
    const appliedAt = new Date().toISOString();
    const schemaVersion = this.#schemaVersion;
    return encodeRecord({ schemaVersion, generation, appliedAt, spec }, object.metadata.uid);
  }
}

function differs(lastApplied: LastApplied | undefined, object: KubernetesObject): boolean {
  const { spec } = object as { readonly spec?: object };
  return !specDifference<object>(lastApplied?.spec ?? {}, spec ?? {}).isEmpty;
}

function isNewer(
  lastApplied: LastApplied | undefined,
  { metadata }: { readonly metadata: { readonly generation?: number | undefined } },
): boolean {
  return lastApplied !== undefined && lastApplied.generation > (metadata.generation ?? 0);
}
