import type { AdmissionAttributes } from '../dynamic/admission-attributes.ts';

/** The name of the object in the refusal of a request. Source: `extractResourceName` of apiserver's admission. */
export function shownName({ name, object }: AdmissionAttributes): string {
  return name || object?.metadata.name || object?.metadata.generateName || 'Unknown';
}
