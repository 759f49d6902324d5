import type { ApiResource, DeepReadonly, Persisted } from '@keelson/apimachinery';
import type { Client, SentBody, WriteFacts, WriteObserver } from '@keelson/client';
import type { InformerEvent, ObjectView } from '@keelson/informer';
import type { FightWatch } from '../fights/fight-watch.ts';
import { statesChange, type Replaces } from './event-rules/stated-change.ts';

/** The parts of a controller that belong to its writes: its client, its own versions, and the reports of fights. */
export interface ControllerClient {
  readonly client: Client;
  readonly own: OwnVersions;
  readonly fights: FightWatch;
}

/** Returns the client of a controller for one cluster, which writes under the name of the controller. */
export function controllerClient(client: Client, name: string, own: OwnVersions): Client {
  return client.withFieldManager(name).withWriteObserver(own);
}

/** The number of own versions that are kept, more than a controller writes between a response and its event. */
const MAX_VERSIONS = 10_000;

/** The longest body that is recorded, in characters. The event of a write with a longer body leads to a request. */
const MAX_BODY_LENGTH = 16_384;

/**
 * The evidence that an own write made a version.
 *
 * - `creation`: the server created the object.
 * - `version`: the write was bound to an earlier version.
 * - A body: the write may have had no effect, so the event must show only changes that the body states.
 */
type Proof = 'creation' | 'version' | SentBody;

/** The versions that the writes of one controller made, to recognize their events. */
export class OwnVersions implements WriteObserver {
  /** By uid and version. */
  readonly #versions = new Map<string, Proof>();
  #isUsed = false;

  /** Begins to record versions, because a source ignores own events. */
  use(): this {
    this.#isUsed = true;
    return this;
  }

  written(_: ApiResource, { metadata }: DeepReadonly<Persisted>, facts: WriteFacts): void {
    const { uid, resourceVersion } = metadata ?? {};
    if (!this.#isUsed || !uid || !resourceVersion) return;
    const proof = proofOf(facts, resourceVersion);
    const key = keyOf({ uid, resourceVersion });
    // The version may be known: a write without an effect returns the version of an earlier write, such as an own one.
    if (proof === undefined || this.#versions.has(key)) return;
    this.#versions.set(key, proof);
    if (this.#versions.size <= MAX_VERSIONS) return;
    const [oldest = ''] = this.#versions.keys();
    this.#versions.delete(oldest);
  }

  /** Records nothing: the response to a deletion has no version, so its event is never ignored. */
  deleted(): void {}

  /**
   * True for an event that shows an own write and nothing else: the creation of the object, or the update from the
   * state that the source received last. An event that may combine several changes could hide a change of another
   * client.
   */
  made(event: InformerEvent): boolean {
    if (event.type === 'deleted' || event.mayCombine === true) return false;
    const proof = this.#versions.get(keyOf(event.object));
    if (proof === undefined) return false;
    if (event.type === 'added') return proof === 'creation' && !event.initial;
    const { previous, object } = event;
    if (previous.resourceVersion === object.resourceVersion) return false; // a resync
    return typeof proof === 'string' || isProven(proof, previous, object);
  }
}

/** True if the body states the change. False if that cannot be read, for example because the cache keeps no body. */
function isProven(proof: SentBody, previous: ObjectView, object: ObjectView): boolean {
  try {
    const states = { before: previous.value(), after: object.value() };
    return statesChange(JSON.parse(proof.text), replacesOf(proof), states);
  } catch {
    return false;
  }
}

interface SentObject {
  readonly metadata?: { readonly resourceVersion?: unknown } | undefined;
}

interface PatchOperation {
  readonly op?: unknown;
  readonly path?: unknown;
  readonly value?: unknown;
}

function proofOf({ isCreation, sent }: WriteFacts, version: string): Proof | undefined {
  if (isCreation) return 'creation';
  if (sent === undefined || sent.text.length > MAX_BODY_LENGTH) return undefined;
  const body = parsed(sent.text);
  if (body === undefined) return undefined;
  const base = baseOf(body.value);
  if (base === undefined) return sent;
  // The server refuses a write with an outdated base. If the response has the version of the base, the write had no
  // effect.
  return base === version ? undefined : 'version';
}

/** `undefined` for a text that is not JSON, such as YAML. */
function parsed(text: string): { readonly value: Parameters<typeof baseOf>[0] } | undefined {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
}

function replacesOf({ contentType }: SentBody): Replaces {
  if (contentType === 'application/json') return 'objects';
  return contentType === 'application/merge-patch+json' ? 'lists' : 'items';
}

/** The version to which a body binds its write: in its metadata, or by an operation of a JSON patch. */
function baseOf(body: SentObject | readonly (PatchOperation | null)[] | null): string | undefined {
  const base = Array.isArray(body) ? baseOfPatch(body) : (body as SentObject)?.metadata;
  const version = base?.resourceVersion;
  return typeof version === 'string' && version !== '' ? version : undefined;
}

/**
 * Returns the metadata that a JSON patch binds to. Several operations on the version could undo each other, so they
 * bind to none.
 */
function baseOfPatch(operations: readonly (PatchOperation | null)[]): SentObject['metadata'] {
  const [first, second] = operations.filter((each) => each?.path === '/metadata/resourceVersion');
  return first?.op === 'replace' && second === undefined
    ? { resourceVersion: first.value }
    : undefined;
}

function keyOf(state: { readonly uid: string; readonly resourceVersion: string }): string {
  return `${state.uid} ${state.resourceVersion}`;
}
