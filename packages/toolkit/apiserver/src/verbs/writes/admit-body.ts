import type { AdmissionChain } from '../../admission/admission-chain.ts';
import {
  type AdmissionAttributes,
  type GroupVersionKind,
  optionsOf,
} from '../../admission/dynamic/admission-attributes.ts';
import type { ResourceRequest } from '../../http/api-request.ts';
import { builtinKindSchema } from '../../kinds/builtin-kind-schema.ts';
import type { ServedResource } from '../../resources/served-resource.ts';
import type { ApiObject } from '../../storage/api-object.ts';
import { admittedRequest, givenOptions } from './write-options.ts';

/** A body that a POST sends, and that is not stored as such: an eviction, a binding, a review. */
export interface AdmittedBody {
  readonly kind: GroupVersionKind;
  readonly value: Record<string, unknown>;
}

/**
 * Passes the body of a POST to the webhooks and policies and returns it as they left it. Throws the `StatusError` of a
 * refusal.
 */
export async function admitBody(
  admission: AdmissionChain,
  request: ResourceRequest,
  resource: ServedResource,
  { kind, value }: AdmittedBody,
): Promise<Record<string, unknown>> {
  if (!admission.isDynamic) return value;
  const apiVersion = kind.group === '' ? kind.version : `${kind.group}/${kind.version}`;
  const admitted = admittedRequest(request, givenOptions(request.query));
  const metadata = { ...(value['metadata'] as ApiObject['metadata'] | undefined) };
  if (resource.facts.namespaced) metadata.namespace ??= request.info.namespace;
  const attributes: AdmissionAttributes = {
    ...admitted,
    operation: 'CREATE',
    options: optionsOf('CREATE', admitted.options),
    resource,
    subresource: request.info.subresource,
    kind,
    schema: builtinKindSchema(kind, resource.release),
    object: { kind: kind.kind, apiVersion, ...value, metadata },
    oldObject: undefined,
    warnings: request.warnings,
  };
  await admission.admit(attributes);
  return attributes.object ?? value;
}
