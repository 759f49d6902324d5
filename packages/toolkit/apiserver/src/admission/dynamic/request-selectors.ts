import {
  labelRequirementsOf,
  type LabelRequirements,
  type LabelSelector,
  matchesLabels,
} from '@keelson/apimachinery';
import { notFound } from '../../status-errors/status-errors.ts';
import type { ApiObject } from '../../storage/api-object.ts';
import type { ResourceStore } from '../../storage/resource-store.ts';
import { keyOfMetadata } from '../../storage/stored-object.ts';
import type { AdmissionAttributes } from './admission-attributes.ts';

/** `namespaceSelector` and `objectSelector` of a webhook or policy. */
export class RequestSelectors {
  readonly #namespaces: LabelRequirements;
  readonly #objects: LabelRequirements;

  constructor(selectors: {
    readonly namespaceSelector?: LabelSelector;
    readonly objectSelector?: LabelSelector;
  }) {
    this.#namespaces = labelRequirementsOf(selectors.namespaceSelector ?? {});
    this.#objects = labelRequirementsOf(selectors.objectSelector ?? {});
  }

  /**
   * Decides about the namespace of a request. A cluster-scoped object other than a namespace always matches. Returns the
   * name of a namespace that does not exist.
   */
  matchesNamespace(
    attributes: AdmissionAttributes,
    namespaces: ResourceStore,
  ): boolean | { readonly missing: string } {
    const { namespace, resource } = attributes;
    if (namespace === '' && resource.facts.plural !== 'namespaces') return true;
    if (this.#namespaces.length === 0) return true;
    const labels = labelsOfNamespace(attributes, namespaces);
    return labels === undefined ? { missing: namespace } : matchesLabels(this.#namespaces, labels);
  }

  /** True if the new or the old object matches. */
  matchesObject({ object, oldObject }: AdmissionAttributes): boolean {
    if (this.#objects.length === 0) return true;
    return [object, oldObject].some(
      (each) => each !== undefined && matchesLabels(this.#objects, labelsOf(each)),
    );
  }
}

/** The error for a namespace that does not exist. */
export function namespaceNotFound(name: string): Error {
  return notFound({ group: '', plural: 'namespaces', kind: 'Namespace', name });
}

type Labels = Readonly<Record<string, string>>;

/** A request that writes a namespace is matched by the labels in the request. */
function labelsOfNamespace(
  { resource, subresource, operation, object, namespace }: AdmissionAttributes,
  namespaces: ResourceStore,
): Labels | undefined {
  const isWrite = operation === 'CREATE' || operation === 'UPDATE';
  if (
    resource.facts.plural === 'namespaces' &&
    subresource === '' &&
    isWrite &&
    object !== undefined
  ) {
    return labelsOf(object);
  }
  const found = namespaces.get(keyOfMetadata({ name: namespace }));
  return found && (found.metadata.labels ?? {});
}

function labelsOf({ metadata }: ApiObject): Labels {
  return (metadata as ApiObject['metadata'] | undefined)?.labels ?? {};
}
