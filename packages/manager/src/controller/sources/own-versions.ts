import type { ApiResource, DeepReadonly, Persisted } from '@keelson/apimachinery';
import type { Client, WriteFacts, WriteObserver } from '@keelson/client';
import type { InformerEvent } from '@keelson/informer';

/** The client of a controller, and the versions of its writes. */
export interface ControllerClient {
  readonly client: Client;
  readonly own: OwnVersions;
}

/** Returns the client of a controller for one cluster, which writes under the name of the controller. */
export function controllerClient(client: Client, name: string, own: OwnVersions): Client {
  return client.withFieldManager(name).withWriteObserver(own);
}

/** More than the writes of a controller between a response and its event. An older version is forgotten. */
const MAX_VERSIONS = 10_000;

/** The versions that the writes of one controller made, to recognize their events. */
export class OwnVersions implements WriteObserver {
  /** By uid and version: true if the write created the object. */
  readonly #versions = new Map<string, boolean>();
  #isUsed = false;

  /** Starts to record, because a source ignores own events. */
  use(): this {
    this.#isUsed = true;
    return this;
  }

  written(_: ApiResource, { metadata }: DeepReadonly<Persisted>, { isCreation }: WriteFacts): void {
    const { uid, resourceVersion } = metadata ?? {};
    if (!this.#isUsed || !uid || !resourceVersion) return;
    this.#versions.set(keyOf({ uid, resourceVersion }), isCreation);
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
    const isCreation = this.#versions.get(keyOf(event.object));
    if (event.type === 'added') return isCreation === true && !event.initial;
    const isResync = event.previous.resourceVersion === event.object.resourceVersion;
    return isCreation !== undefined && !isResync;
  }
}

function keyOf(state: { readonly uid: string; readonly resourceVersion: string }): string {
  return `${state.uid} ${state.resourceVersion}`;
}
