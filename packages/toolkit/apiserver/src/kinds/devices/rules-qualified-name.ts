import type { StatusCause } from '@keelson/apimachinery';
import { type FieldPath, invalid, tooLong } from '@keelson/structural-schema';
import { validateDriverName } from '../shared/rules-driver-name.ts';

const MAX_IDENTIFIER_BYTES = 32;
const identifierDetail =
  "a valid C identifier must start with alphabetic character or '_', followed by a string of alphanumeric characters or '_' (e.g. 'my_name',  or 'MY_NAME',  or 'MyName', regex used for validation is '[A-Za-z_][A-Za-z0-9_]*')";

/**
 * Validates a C identifier with an optional domain: `example.com/memory`. kube-apiserver accepts any name with more than
 * one slash.
 */
export function validateDeviceName(name: string, path: FieldPath): StatusCause[] {
  const [domain = '', identifier, ...others] = name.split('/');
  if (others.length > 0) return [];
  if (identifier === undefined) return validateIdentifier(domain, path);
  return [
    ...(domain === ''
      ? [invalid(path, '', 'the domain must not be empty')]
      : validateDriverName(domain, path)),
    ...(identifier === ''
      ? [invalid(path, '', 'the name must not be empty')]
      : validateIdentifier(identifier, path)),
  ];
}

/** As `validateDeviceName`, for a name that needs a domain. */
export function validateFullDeviceName(name: string, path: FieldPath): StatusCause[] {
  const detail = 'a fully qualified name must be a domain and a name separated by a slash';
  return [
    ...validateDeviceName(name, path),
    ...(name.includes('/') ? [] : [invalid(path, name, detail)]),
  ];
}

function validateIdentifier(text: string, path: FieldPath): StatusCause[] {
  return [
    ...(Buffer.byteLength(text) > MAX_IDENTIFIER_BYTES
      ? [tooLong(path, MAX_IDENTIFIER_BYTES)]
      : []),
    ...(/^[A-Za-z_][A-Za-z0-9_]*$/.test(text) ? [] : [invalid(path, text, identifierDetail)]),
  ];
}
