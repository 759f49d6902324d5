import { CreateError } from '../errors.ts';
import { templateNames } from '../template/template-names.ts';
import { isVariant, variants } from '../template/variant.ts';
import type { Choices } from './choices.ts';

/** Names that YAML 1.1 or 1.2 reads as another type. */
const yamlWords = /^(?:null|true|false|yes|no|on|off|y|n)$/i;
/** A DNS-1123 label, as Kubernetes accepts it. */
const dnsLabel = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
/** The length of a DNS-1123 subdomain, such as the name of a CustomResourceDefinition. */
const MAX_SUBDOMAIN_LENGTH = 253;

/** The API server reads these words behind `/namespaces/NAME` of a URL as parts of a request for the Namespace. */
const namespacePaths: ReadonlySet<string> = new Set(['finalize', 'namespaces', 'status']);

/** Why each choice is invalid; `undefined` for a valid one. */
export const problemOf: Readonly<Record<keyof Choices, (value: string) => string | undefined>> = {
  name: nameProblem,
  group: groupProblem,
  kind: kindProblem,
  plural: pluralProblem,
  variant: (value) =>
    isVariant(value) ? undefined : `must be one of ${Object.keys(variants).join(', ')}`,
};

/** Throws `CHOICE_INVALID` with the name of the first invalid choice, its value and the reason. */
export function checkChoices(choices: Choices): void {
  for (const choice of ['name', 'group', 'kind', 'plural', 'variant'] as const) {
    checkChoice(choice, choices[choice]);
  }
  const { group, plural } = choices;
  if (`${plural}.${group}`.length <= MAX_SUBDOMAIN_LENGTH) return;
  const reason = `must have at most ${MAX_SUBDOMAIN_LENGTH} characters with the plural`;
  throw new CreateError('CHOICE_INVALID', { choice: 'group', value: group, reason });
}

/** Throws `CHOICE_INVALID`. */
export function checkChoice(choice: keyof Choices, value: unknown): void {
  const reason = typeof value === 'string' ? problemOf[choice](value) : 'must be a string';
  if (reason !== undefined) throw new CreateError('CHOICE_INVALID', { choice, value, reason });
}

function nameProblem(name: string): string | undefined {
  if (!dnsLabel.test(name) || !/^[a-z]/.test(name)) {
    return 'must be a DNS label that begins with a letter: a-z, 0-9 and -, at most 63';
  }
  if (name.startsWith('kube-')) return 'must not begin with kube-, which Kubernetes reserves';
  if (templateNames().packages.has(name)) return 'is the name of a package that the project uses';
  return yamlProblem(name);
}

function groupProblem(group: string): string | undefined {
  if (!isSubdomain(group) || !group.includes('.')) {
    return 'must be a DNS name with a dot, such as shop.example';
  }
  // Such a name without quotes is a number in YAML.
  if (!Number.isNaN(Number(group))) return 'must not be a number';
  return /(?:^|\.)(?:k8s|kubernetes)\.io$/.test(group)
    ? 'must not end in k8s.io or kubernetes.io, which Kubernetes reserves'
    : undefined;
}

function kindProblem(kind: string): string | undefined {
  if (!/^[A-Z][A-Za-z0-9]{0,62}$/.test(kind)) {
    return 'must be in UpperCamelCase: A-Z, a-z and 0-9, at most 63';
  }
  if (templateNames().identifiers.has(kind) || Object.hasOwn(globalThis, kind)) {
    return 'is a name that TypeScript or the code of the project uses';
  }
  return templateNames().modules.has(kind.toLowerCase())
    ? 'is the name of a file of the project'
    : yamlProblem(kind);
}

function pluralProblem(plural: string): string | undefined {
  if (!dnsLabel.test(plural) || !/^[a-z]/.test(plural)) {
    return 'must be a DNS label that begins with a letter: a-z, 0-9 and -, at most 63';
  }
  return namespacePaths.has(plural) ? 'is a path of Namespaces' : yamlProblem(plural);
}

function isSubdomain(name: string): boolean {
  return (
    name.length <= MAX_SUBDOMAIN_LENGTH && name.split('.').every((label) => dnsLabel.test(label))
  );
}

function yamlProblem(value: string): string | undefined {
  return yamlWords.test(value) ? 'is a word with another meaning in YAML' : undefined;
}
