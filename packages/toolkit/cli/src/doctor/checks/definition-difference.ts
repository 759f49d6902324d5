import { isDeepStrictEqual } from 'node:util';
import type { builtin, ObjectOf } from '@keelson/apimachinery';
import { webhookServicePlaceholder } from '@keelson/schema';

type Definition = ObjectOf<typeof builtin.CustomResourceDefinition>;
type Members = Readonly<Record<string, unknown>>;

/**
 * Returns the path of the first difference between the spec of a project's definition and that of a server; undefined if
 * they have the same meaning. Members that the server adds do not count: names, the strategy of conversion, the port of
 * its webhook, and the certificates that an injector writes into it. The Service that the manifests set in place of the
 * placeholder does not count either. Neither do members that the server omits because they
 * have the zero value of Go: false, an empty text, list or object, and the priority 0 of a column.
 */
export function firstDifference(expected: Definition, actual: Definition): string | undefined {
  const wanted = normal(expected);
  const present = normal(actual);
  const complete = withService(withCertificates(wanted, present), present);
  return differenceAt('spec', withoutZeros(complete), withoutZeros(present));
}

function normal({ spec }: Definition): Members {
  const { names, conversion, preserveUnknownFields, ...others } = structuredClone(spec);
  const { kind } = names;
  return {
    ...others,
    // The API requires false, which is its default.
    ...(preserveUnknownFields === true ? { preserveUnknownFields } : {}),
    names: { singular: kind.toLowerCase(), listKind: `${kind}List`, ...names },
    conversion: normalConversion(conversion),
  };
}

function normalConversion(conversion: Definition['spec']['conversion']): unknown {
  const service = conversion?.webhook?.clientConfig?.service;
  if (service !== undefined) service.port ??= 443;
  return conversion ?? { strategy: 'None' };
}

/** Copies the certificates of the server to a definition that leaves them to an injector such as cert-manager. */
function withCertificates(wanted: Members, present: Members): Members {
  const bundle = clientConfigOf(present)?.['caBundle'];
  const config = clientConfigOf(wanted);
  if (bundle !== undefined && config !== undefined) config['caBundle'] ??= bundle;
  return wanted;
}

/** Copies the Service of the server to a definition with the placeholder, which the manifests replace. */
function withService(wanted: Members, present: Members): Members {
  const config = clientConfigOf(wanted);
  const service = config?.['service'] as { namespace?: unknown; name?: unknown } | undefined;
  const other = clientConfigOf(present)?.['service'];
  const { namespace, name } = webhookServicePlaceholder;
  const isPlaceholder = service?.namespace === namespace && service.name === name;
  if (config !== undefined && isPlaceholder && other !== undefined) config['service'] = other;
  return wanted;
}

function clientConfigOf({ conversion }: Members): Record<string, unknown> | undefined {
  const webhook = (conversion as { webhook?: { clientConfig?: Record<string, unknown> } }).webhook;
  return webhook?.clientConfig;
}

/** Members with values of users, in which every value has a meaning. */
const literals: ReadonlySet<string> = new Set(['default', 'enum', 'example']);

function withoutZeros(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => withoutZeros(item));
  if (!isMembers(value)) return value;
  const members = Object.entries(value)
    .map(([name, member]) => [name, literals.has(name) ? member : withoutZeros(member)] as const)
    .filter(([name, member]) => literals.has(name) || !isZero(name, member));
  return Object.fromEntries(members);
}

function isZero(name: string, value: unknown): boolean {
  if (value === false || value === '' || value === null || value === undefined) return true;
  if (value === 0) return name === 'priority';
  // The status of the subresources is empty if it exists.
  return name !== 'status' && typeof value === 'object' && Object.keys(value).length === 0;
}

function differenceAt(path: string, one: unknown, other: unknown): string | undefined {
  if (isDeepStrictEqual(one, other)) return undefined;
  if (Array.isArray(one) && Array.isArray(other)) {
    const length = Math.max(one.length, other.length);
    const paths = Array.from({ length }, (_, index) =>
      differenceAt(`${path}[${index}]`, one[index], other[index]),
    );
    return paths.find((each) => each !== undefined) ?? path;
  }
  if (!isMembers(one) || !isMembers(other)) return path;
  const names = [...new Set([...Object.keys(one), ...Object.keys(other)])].toSorted();
  const paths = names.map((name) => differenceAt(`${path}.${name}`, one[name], other[name]));
  return paths.find((each) => each !== undefined);
}

function isMembers(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
