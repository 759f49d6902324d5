import { labelRequirementsOf, type LabelSelector, matchesLabels } from '@keelson/apimachinery';
import type { ResourceRegistry } from '../../resources/resource-registry.ts';
import type { ServedResource } from '../../resources/served-resource.ts';
import { byCodeUnit } from '../../storage/sorted-keys.ts';
import type { ApiObject } from '../../storage/api-object.ts';
import type { StoredObject } from '../../storage/stored-object.ts';

/** `paramKind` of a policy. */
export interface ParamKind {
  readonly apiVersion: string;
  readonly kind: string;
}

/** `paramRef` of a binding. */
export interface ParamReference {
  readonly name?: string;
  readonly namespace?: string;
  readonly selector?: LabelSelector;
  readonly parameterNotFoundAction?: string;
}

/** A policy or binding that cannot be evaluated as it is configured. */
export class PolicyConfigurationError extends Error {}

/** Reads the parameters of policies. Source: `CollectParams` in `policy/generic/policy_dispatcher.go` of apiserver. */
export class Parameters {
  readonly #registry: ResourceRegistry;

  constructor(registry: ResourceRegistry) {
    this.#registry = registry;
  }

  /** Throws `PolicyConfigurationError` if the kind of the parameters is not served. */
  check(kind: ParamKind | undefined): void {
    if (kind !== undefined) this.#resourceOf(kind);
  }

  /**
   * Returns the parameters that a binding refers to, or `null` for a policy or binding without parameters. The policy is
   * evaluated once for each of them. Throws `PolicyConfigurationError`.
   */
  async of(
    kind: ParamKind | undefined,
    reference: ParamReference | undefined,
    namespace: string,
  ): Promise<readonly (ApiObject | null)[]> {
    if (kind === undefined || reference === undefined) return [null];
    const resource = this.#resourceOf(kind);
    const place = placeOf(resource, reference, namespace);
    const found = await this.#find(resource, reference, place);
    if (found.length === 0 && reference.parameterNotFoundAction === 'Deny') {
      throw new PolicyConfigurationError(
        'no params found for policy binding with `Deny` parameterNotFoundAction',
      );
    }
    return found;
  }

  async #find(
    resource: ServedResource,
    { name = '', selector }: ParamReference,
    namespace: string,
  ): Promise<ApiObject[]> {
    if (name !== '') {
      const stored = resource.store.get(resource.key({ namespace, name }));
      return stored === undefined ? [] : [await readConverted(resource, stored)];
    }
    if (selector === undefined) {
      throw new PolicyConfigurationError('one of name or selector must be provided');
    }
    const requirements = labelRequirementsOf(selector);
    const selected = [...resource.store.values()]
      .filter(({ metadata }) => (metadata.namespace ?? '') === namespace)
      .filter(({ metadata }) => matchesLabels(requirements, metadata.labels))
      .toSorted((one, other) => byCodeUnit(one.key, other.key));
    await resource.prepareAll(selected);
    return selected.map((stored) => resource.read(stored));
  }

  #resourceOf({ apiVersion, kind }: ParamKind): ServedResource {
    const resource = this.#registry.byKind(apiVersion, kind);
    if (resource !== undefined) return resource;
    const group = apiVersion.includes('/') ? apiVersion : `/${apiVersion}`;
    throw new PolicyConfigurationError(
      `failed to find resource referenced by paramKind: '${group}, Kind=${kind}'`,
    );
  }
}

async function readConverted(resource: ServedResource, stored: StoredObject): Promise<ApiObject> {
  await resource.prepare(stored);
  return resource.read(stored);
}

/** The namespace of the parameters: that of the reference, or that of the request. */
function placeOf(
  { facts }: ServedResource,
  { namespace = '' }: ParamReference,
  own: string,
): string {
  if (!facts.namespaced) {
    if (namespace === '') return '';
    throw new PolicyConfigurationError(
      'paramRef.namespace must not be provided for a cluster-scoped `paramKind`',
    );
  }
  const place = namespace || own;
  if (place !== '') return place;
  throw new PolicyConfigurationError(
    'cannot use namespaced paramRef in policy binding that matches cluster-scoped resources',
  );
}
