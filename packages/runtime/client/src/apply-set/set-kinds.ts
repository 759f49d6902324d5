import {
  defineResource,
  hasCode,
  pause,
  type ApiResource,
  type DeepReadonly,
  type KubernetesObject,
} from '@keelson/apimachinery';
import { ClientError } from '../errors.ts';
import type { Client } from '../verbs/client.ts';
import { groupKindOf, parseGroupKind } from './apply-set.ts';

/** Milliseconds within which the server must serve a kind whose definition was applied. */
const MAX_SERVE_MS = 30_000;
const POLL_MS = 100;

/** The members of a CustomResourceDefinition that describe its kind. */
interface Definition extends KubernetesObject {
  readonly spec?: {
    readonly group?: unknown;
    readonly scope?: unknown;
    readonly names?: { readonly kind?: unknown; readonly plural?: unknown };
  };
}

/** The kinds of a set: those that the server serves, and those that definitions in the set add. */
export class SetKinds {
  readonly #client: Pick<Client, 'discovery'>;
  readonly #signal: AbortSignal | undefined;
  readonly #definitions: readonly DeepReadonly<Definition>[];
  /** The kinds that only the definitions of the set describe. */
  readonly #coming = new Set<ApiResource>();

  constructor(
    client: Pick<Client, 'discovery'>,
    objects: readonly DeepReadonly<KubernetesObject>[],
    signal: AbortSignal | undefined,
  ) {
    this.#client = client;
    this.#signal = signal;
    this.#definitions = objects.filter(({ kind }) => kind === 'CustomResourceDefinition');
  }

  /** Returns the token of an object's kind. Throws `KIND_NOT_SERVED`. */
  async of({ apiVersion = '', kind = '' }: DeepReadonly<KubernetesObject>): Promise<ApiResource> {
    const [version = '', group = ''] = apiVersion.split('/').toReversed();
    const signal = this.#signal;
    const served = await this.#client.discovery.find({ group, version, kind }, { signal });
    const found = served ?? this.#defined({ group, version, kind });
    if (found === undefined) throw new ClientError('KIND_NOT_SERVED', { apiVersion, kind });
    return found;
  }

  /** Returns the token of a kind in the annotation of the parent; `undefined` if the server does not serve it now. */
  async named(groupKind: string): Promise<ApiResource | undefined> {
    try {
      return await this.#client.discovery.find(parseGroupKind(groupKind), { signal: this.#signal });
    } catch (error) {
      // The server of an aggregated group is away.
      if (hasCode(error, 'DISCOVERY_FAILED')) return undefined;
      throw error;
    }
  }

  /** True for a kind that the server did not serve when the set was read. */
  isComing(resource: ApiResource): boolean {
    return this.#coming.has(resource);
  }

  /** Waits until the server serves a kind whose definition was applied. */
  async served(resource: ApiResource): Promise<void> {
    const { discovery } = this.#client;
    const signal = this.#signal;
    const end = performance.now() + MAX_SERVE_MS;
    while (!(await discovery.serves(resource, { signal }))) {
      if (performance.now() > end) {
        const { group, version, kind } = resource;
        throw new ClientError('KIND_NOT_SERVED', { apiVersion: `${group}/${version}`, kind });
      }
      await pause(POLL_MS, [signal]);
    }
    discovery.invalidate();
  }

  #defined(query: Pick<ApiResource, 'group' | 'version' | 'kind'>): ApiResource | undefined {
    const { group, version, kind } = query;
    const isSame = (one: ApiResource): boolean =>
      groupKindOf(one) === groupKindOf(query) && one.version === version;
    const known = [...this.#coming].find(isSame);
    if (known !== undefined) return known;
    for (const { spec } of this.#definitions) {
      if (spec?.group !== group || spec.names?.kind !== kind) continue;
      const scope = spec.scope === 'Cluster' ? 'Cluster' : 'Namespaced';
      const plural = String(spec.names.plural);
      const resource = defineResource({ group, version, kind, plural, scope });
      this.#coming.add(resource);
      return resource;
    }
    return undefined;
  }
}
