import type { ApiResource, DeepReadonly, Persisted } from '@keelson/apimachinery';
import type { Client, SentBody, WriteFacts, WriteObserver } from '@keelson/client';
import type { InformerEvent, ObjectView } from '@keelson/informer';
import type { FightWatch } from '../fights/fight-watch.ts';
import { statesChange, type Replaces } from './event-rules/stated-change.ts';

/** The client of a controller, the versions of its writes, and the reports of fights between writers. */
export interface ControllerClient {
  readonly client: Client;
  readonly own: OwnVersions;
  readonly fights: FightWatch;
}

/** Returns the client of a controller for one cluster, which writes under the name of the controller. */
export function controllerClient(client: Client, name: string, own: OwnVersions): Client {
  return client.withFieldManager(name).withWriteObserver(own);
}

/** More than the writes of a controller between a response and its event. An older version is forgotten. */
const MAX_VERSIONS = 10_000;

/** The events of writes with longer bodies lead to requests, so that the recorded bodies stay small. */
const MAX_BODY_LENGTH = 16_384;

/**
 * What proves that a write made its version.
 *
 * - `creation`: the server created the object.
 * - `version`: the write was bound to an earlier version.
 * - A body: that of a write that may have had no effect. The change of the event must be the one that it states.
 */
type Proof = 'creation' | 'version' | SentBody;

/** The versions that the writes of one controller made, to recognize their events. */
export class OwnVersions implements WriteObserver {
  /** By uid and version. */
  readonly #versions = new Map<string, Proof>();
  #isUsed = false;

  /** Starts to record, because a source ignores own events. */
  use(): this {
    this.#isUsed = true;
    return this;
  }

  written(_: ApiResource, { metadata }: DeepReadonly<Persisted>, facts: WriteFacts): void {
    const { uid, resourceVersion } = metadata ?? {};
    if (!this.#isUsed || !uid || !resourceVersion) return;
    const proof = proofOf(facts, resourceVersion);
    const key = keyOf({ uid, resourceVersion });
    // A write without an effect returns the version of an earlier write, which may be an own one.
    if (proof === undefined || this.#versions.has(key)) return;
    this.#versions.set(key, proof);
    if (this.#versions.size <= MAX_VERSIONS) return;
    const [oldest = ''] = this.#versions.keys();
    this.#versions.delete(oldest);
  }

  /** Deletions are never ignored: their responses have no version. */
  deleted(): void {}

  /**
   * True for the event of an own write that shows nothing else: the update from the state that the source has received
   * before, or the creation. An event that may combine several changes could hide a change of another client.
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

/** True if the body states the change. A proof that fails, such as of a body that was not kept, proves nothing. */
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
  // The server refuses a write whose base is another version, so an equal one had no effect.
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

/** Several operations on the version could undo each other, so they prove nothing. */
function baseOfPatch(operations: readonly (PatchOperation | null)[]): SentObject['metadata'] {
  const [first, second] = operations.filter((each) => each?.path === '/metadata/resourceVersion');
  return first?.op === 'replace' && second === undefined
    ? { resourceVersion: first.value }
    : undefined;
}

function keyOf(state: { readonly uid: string; readonly resourceVersion: string }): string {
  return `${state.uid} ${state.resourceVersion}`;
}
