import { admissionObjectType, type JsonSchema } from '@keelson/structural-schema';
import type { PolicyResource } from './policy-options.ts';

/** The type of the objects of a resource; `undefined` if its schema is unknown, or for the form of a subresource. */
export function objectTypeOf(
  resource: PolicyResource,
  subresource: string | undefined,
): ReturnType<typeof admissionObjectType> | undefined {
  if (!('crd' in resource) || subresource === 'scale' || subresource === '*') return undefined;
  const versions = resource.crd.spec?.versions ?? [];
  const version = versions.find(({ name }) => name === resource.resource.version);
  const schema = version?.schema?.openAPIV3Schema as JsonSchema | undefined;
  return schema && admissionObjectType(schema);
}
