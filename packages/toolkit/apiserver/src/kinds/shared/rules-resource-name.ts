import type { StatusCause } from '@keelson/apimachinery';
import { checkQualifiedName } from '@keelson/cel/internal';
import { type FieldPath, invalid } from '@keelson/structural-schema';

/** True for a resource of pages of one size: `hugepages-2Mi`. */
export function isHugePages(name: string): boolean {
  return name.startsWith('hugepages-');
}

/** True for a resource of Kubernetes itself. */
export function isNativeResource(name: string): boolean {
  return !name.includes('/') || name.includes('kubernetes.io/');
}

/** True for the name of a resource that a device plugin or an administrator adds. */
export function isExtendedResource(name: string): boolean {
  if (isNativeResource(name) || name.startsWith('requests.')) return false;
  return checkQualifiedName(`requests.${name}`).length === 0;
}

/** The resources without a domain that limits, requests or quotas can name. */
const standardResources: ReadonlySet<string> = new Set([
  'cpu',
  'memory',
  'ephemeral-storage',
  'requests.cpu',
  'requests.memory',
  'requests.ephemeral-storage',
  'limits.cpu',
  'limits.memory',
  'limits.ephemeral-storage',
  'pods',
  'resourcequotas',
  'services',
  'replicationcontrollers',
  'secrets',
  'configmaps',
  'persistentvolumeclaims',
  'storage',
  'requests.storage',
  'services.nodeports',
  'services.loadbalancers',
]);

const containerResources: ReadonlySet<string> = new Set(['cpu', 'memory', 'ephemeral-storage']);

/** Validates a name that limits, requests or quotas can have. */
export function validateResourceName(name: string, path: FieldPath): StatusCause[] {
  const syntax = checkQualifiedName(name).map((detail) => invalid(path, name, detail));
  if (syntax.length > 0 || name.includes('/')) return syntax;
  if (standardResources.has(name) || /^(?:requests\.)?hugepages-/.test(name)) return [];
  return [invalid(path, name, 'must be a standard resource type or fully qualified')];
}

/** Validates the name of a resource of containers. */
export function validateContainerResourceName(name: string, path: FieldPath): StatusCause[] {
  const causes = validateResourceName(name, path);
  if (!name.includes('/')) {
    if (containerResources.has(name) || isHugePages(name)) return causes;
    return [...causes, invalid(path, name, 'must be a standard resource for containers')];
  }
  if (isNativeResource(name) || isExtendedResource(name)) return causes;
  return [...causes, invalid(path, name, "doesn't follow extended resource name standard")];
}
