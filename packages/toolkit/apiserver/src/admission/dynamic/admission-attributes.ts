import type { JsonObject } from '@keelson/structural-schema';
import type { User } from '../../auth/user.ts';
import type { ServedResource } from '../../resources/served-resource.ts';
import type { KindSchema } from '../../schema/kind-schema.ts';
import type { ApiObject } from '../../storage/api-object.ts';

export type Operation = 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT';

/** Names the type of an object. */
export interface GroupVersionKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** The client request behind a write. The server's own writes have none, so no webhook and no policy applies to them. */
export interface AdmittedRequest {
  readonly user: User;
  /** The name in the URL; empty for a new object, whose name the server may generate. */
  readonly name: string;
  /** The namespace in the URL; for a namespace its own name, and empty for other cluster-scoped resources. */
  readonly namespace: string;
  readonly dryRun: boolean;
  /** The options with the values of the client; their kind depends on the operation. */
  readonly options: JsonObject;
}

/** The object of a request in the form that its URL addresses: the object itself, or one such as a Scale. */
export interface AdmittedForm {
  readonly kind: GroupVersionKind;
  /** Decodes and defaults a changed object; `undefined` for forms that have no schema. */
  readonly schema: KindSchema | undefined;
}

/** A request as admission webhooks and policies see it (`admission.Attributes` of kube-apiserver). */
export interface AdmissionAttributes extends AdmittedRequest, AdmittedForm {
  readonly operation: Operation;
  readonly resource: ServedResource;
  /** Empty for the object itself. */
  readonly subresource: string;
  /** The new object; absent in a delete. Mutating webhooks and policies replace it. */
  object: ApiObject | undefined;
  /** The stored object; absent in a create. */
  readonly oldObject: ApiObject | undefined;
  /** Warnings of the response; webhooks and policies append to them. */
  readonly warnings: string[];
}

/** Returns the options of a request with their kind. */
export function optionsOf(operation: Operation, given: JsonObject): JsonObject {
  const name = `${operation[0] ?? ''}${operation.slice(1).toLowerCase()}Options`;
  return { kind: name, apiVersion: 'meta.k8s.io/v1', ...given };
}

/** The form of the object itself. */
export function wholeForm(resource: ServedResource): AdmittedForm {
  const { group, version, kind } = resource.facts;
  return { kind: { group, version, kind }, schema: resource.schema };
}

/** Configuration of admission, which no webhook and no policy may change or refuse: it could prevent its own repair. */
const exemptKinds: ReadonlySet<string> = new Set([
  'ValidatingWebhookConfiguration',
  'MutatingWebhookConfiguration',
  'ValidatingAdmissionPolicy',
  'ValidatingAdmissionPolicyBinding',
  'MutatingAdmissionPolicy',
  'MutatingAdmissionPolicyBinding',
]);

/** Reviews and the configuration of policies, to which no policy applies. Source: `kubeapiserver/admission/exclusion`. */
export function isExemptFromPolicies(attributes: AdmissionAttributes): boolean {
  const { group, plural } = attributes.resource.facts;
  if (group === 'authorization.k8s.io') return true;
  if (group === 'authentication.k8s.io') return true;
  return group === 'admissionregistration.k8s.io' && plural.includes('admissionpolic');
}

/** True for a request that writes configuration of admission. */
export function isExempt({ kind }: AdmissionAttributes): boolean {
  return kind.group === 'admissionregistration.k8s.io' && exemptKinds.has(kind.kind);
}
