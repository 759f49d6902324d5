import type { StatusCause } from '@keelson/apimachinery';
import { childPath, forbidden, indexPath, type JsonObject } from '@keelson/structural-schema';
import { objectAt, objectsAt } from '../../json/json-members.ts';

const ADMIN_LABEL = 'resource.kubernetes.io/admin-access';

/** Returns the spec of the claims that an object of a kind describes. */
type ClaimSpecs = Readonly<Record<string, (object: JsonObject) => JsonObject>>;

/** The claims by the id of their resource. */
const claimSpecs: ClaimSpecs = {
  'resource.k8s.io/v1/resourceclaims': (claim) => objectAt(claim, 'spec'),
  'resource.k8s.io/v1/resourceclaimtemplates': (template) =>
    objectAt(objectAt(template, 'spec'), 'spec'),
};

/** Only a namespace with a label may have claims with administrative access. Its spec cannot change later. */
export function validateAdminAccess(
  resourceId: string,
  object: JsonObject,
  labelsOfNamespace: () => Readonly<Record<string, string>>,
): StatusCause[] {
  const spec = claimSpecs[resourceId]?.(object);
  if (spec === undefined) return [];
  const requests = objectsAt(objectAt(spec, 'devices'), 'requests');
  const index = requests.findIndex((each) => objectAt(each, 'exactly').adminAccess === true);
  if (index === -1 || labelsOfNamespace()[ADMIN_LABEL] === 'true') return [];
  // kube-apiserver has the same path for a template.
  const path = childPath(indexPath('spec.devices.requests', index), 'adminAccess');
  const detail = `admin access to devices requires the \`${ADMIN_LABEL}: true\` label on the containing namespace`;
  return [forbidden(path, detail)];
}
