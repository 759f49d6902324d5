import { CodedError } from '../coded-error.ts';
import { apimachineryErrors } from '../errors.ts';

const labelPattern = /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?$/;
const qualifiedPattern = /^[A-Za-z0-9](?:[-A-Za-z0-9_.]*[A-Za-z0-9])?$/;

/** True for a DNS-1123 label, such as a namespace. At most 63 characters. */
export function isDnsLabel(text: string): boolean {
  return text.length <= 63 && labelPattern.test(text);
}

/** True for a DNS-1123 subdomain, such as the name of an object or an API group. At most 253 characters. */
export function isDnsSubdomain(text: string): boolean {
  return text.length <= 253 && text.split('.').every((part) => labelPattern.test(part));
}

/**
 * Returns why the key of a label, annotation or finalizer is invalid, or `undefined`. A key is `name` or
 * `prefix/name`.
 */
export function labelKeyProblem(key: string): string | undefined {
  const parts = key.split('/');
  if (parts.length > 2) return 'a key has at most one "/"';
  const name = parts.at(-1) ?? '';
  if (parts.length === 2 && !isDnsSubdomain(parts[0] ?? '')) {
    return 'the prefix of a key is a DNS subdomain';
  }
  return name.length <= 63 && qualifiedPattern.test(name)
    ? undefined
    : 'the name of a key has 1 to 63 characters of A-Z a-z 0-9 - _ . and begins and ends alphanumeric';
}

/** Returns why the value of a label is invalid, or `undefined`. An empty value is valid. */
export function labelValueProblem(value: string): string | undefined {
  return value === '' || (value.length <= 63 && qualifiedPattern.test(value))
    ? undefined
    : 'a value has up to 63 characters of A-Z a-z 0-9 - _ . and begins and ends alphanumeric';
}

const LOWER_A = 0x61;
const LOWER_Z = 0x7a;
const ZERO = 0x30;
const NINE = 0x39;
const HYPHEN = 0x2d;
const DOT = 0x2e;
/** The upper bound of the name of an object in characters. */
const MAX_NAME_LENGTH = 253;

/**
 * Returns why a string cannot be the name of an object of any kind, or `undefined` if it can. Applies the rule of
 * k8s.io/apimachinery for segments of a path, which permits the colons in names of RBAC objects.
 */
export function objectNameProblem(name: string): string | undefined {
  if (name === '') return 'must not be empty';
  if (name.length > MAX_NAME_LENGTH) return `must have at most ${MAX_NAME_LENGTH} characters`;
  if (isOrdinaryName(name)) return undefined;
  if (name === '.' || name === '..') return 'must not be "." or ".."';
  // oxlint-disable-next-line no-control-regex -- the expression refuses control characters
  if (/[/%\u0000-\u001f\u007f]/.test(name))
    return 'must not contain "/", "%" or control characters';
  return name.isWellFormed() ? undefined : 'must be well-formed Unicode';
}

/**
 * True for nearly every name: lower-case letters, digits, and later "-" and ".". The check runs on every event, and a
 * loop takes less than half of the time of a regular expression.
 */
function isOrdinaryName(name: string): boolean {
  for (let index = 0; index < name.length; index += 1) {
    const code = name.charCodeAt(index);
    const isAlphanumeric = (code >= LOWER_A && code <= LOWER_Z) || (code >= ZERO && code <= NINE);
    const isPunctuation = index > 0 && (code === HYPHEN || code === DOT);
    if (!isAlphanumeric && !isPunctuation) return false;
  }
  return true;
}

/** Throws `INVALID_NAME` for an invalid namespace. */
export function checkNamespace(namespace: string): void {
  if (typeof namespace !== 'string' || !isDnsLabel(namespace))
    throw invalidName('namespace', namespace, 'must be a DNS-1123 label');
}

/** Throws `INVALID_NAME` for a name that no object of a custom resource can have. */
export function checkName(name: string): void {
  if (!isDnsSubdomain(name)) throw invalidName('name', name, 'must be a DNS-1123 subdomain');
}

function invalidName(what: string, value: string, reason: string): CodedError<'INVALID_NAME'> {
  return new CodedError('INVALID_NAME', apimachineryErrors.INVALID_NAME, { what, value, reason });
}
