import { CodedError } from '../coded-error.ts';
import { apimachineryErrors } from '../errors.ts';

const labelPattern = /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?$/;
const qualifiedPattern = /^[A-Za-z0-9](?:[-A-Za-z0-9_.]*[A-Za-z0-9])?$/;

/** True for a DNS-1123 label: namespaces, most parts of names. At most 63 characters. */
export function isDnsLabel(text: string): boolean {
  return text.length <= 63 && labelPattern.test(text);
}

/** True for a DNS-1123 subdomain: names of objects, groups. At most 253 characters. */
export function isDnsSubdomain(text: string): boolean {
  return text.length <= 253 && text.split('.').every((part) => labelPattern.test(part));
}

/** What is wrong with the key of a label, annotation or finalizer (`name` or `prefix/name`), if anything. */
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

/** What is wrong with the value of a label, if anything. The empty text is a value. */
export function labelValueProblem(value: string): string | undefined {
  return value === '' || (value.length <= 63 && qualifiedPattern.test(value))
    ? undefined
    : 'a value has up to 63 characters of A-Z a-z 0-9 - _ . and begins and ends alphanumeric';
}

/** Refuses what cannot be a namespace. Code `INVALID_NAME`. */
export function checkNamespace(namespace: string): void {
  if (typeof namespace !== 'string' || !isDnsLabel(namespace))
    throw invalidName('namespace', namespace, 'must be a DNS-1123 label');
}

/** Refuses what cannot be the name of a custom resource's object. Code `INVALID_NAME`. */
export function checkName(name: string): void {
  if (!isDnsSubdomain(name)) throw invalidName('name', name, 'must be a DNS-1123 subdomain');
}

function invalidName(what: string, value: string, reason: string): CodedError<'INVALID_NAME'> {
  return new CodedError('INVALID_NAME', apimachineryErrors.INVALID_NAME, { what, value, reason });
}
