import type { ObservedAccess } from '@keelson/apiserver';

/** Paths of the roles `system:discovery` and `system:public-info-viewer`. */
const paths = /^\/(?:api|apis|openapi)(?:\/|$)|^\/(?:healthz|livez|readyz|version)\/?$/;

/** Reviews of the role `system:basic-user`. */
const selfReviews: ReadonlySet<string> = new Set([
  'authentication.k8s.io/selfsubjectreviews',
  'authorization.k8s.io/selfsubjectaccessreviews',
  'authorization.k8s.io/selfsubjectrulesreviews',
]);

/** The members of an access that decide. */
type DefaultAccess =
  | Pick<Extract<ObservedAccess, { kind: 'path' }>, 'kind' | 'verb' | 'path'>
  | Pick<Extract<ObservedAccess, { kind: 'resource' }>, 'kind' | 'verb' | 'group' | 'resource'>;

/**
 * True for accesses that the default roles of Kubernetes grant to every authenticated user: discovery, health, the
 * version, and reviews about the user itself.
 */
export function isDefaultAccess(access: DefaultAccess): boolean {
  if (access.kind === 'path') return access.verb === 'get' && paths.test(access.path);
  const { verb, group, resource } = access;
  return verb === 'create' && selfReviews.has(`${group}/${resource}`);
}
