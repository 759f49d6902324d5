import { defineResource, type KubernetesObject } from '@keelson/apimachinery';
import { createApiServer } from '@keelson/apiserver';
import { createClient } from '@keelson/client';
import { CliError } from '../../errors.ts';
import { installDefinitions } from '../../dev/cluster/install-definitions.ts';
import { isJsonObject, type JsonObject } from '../../types/definition/custom-kind.ts';
import type { ProjectKind } from './project-kinds.ts';

/** Texts of which one satisfies most patterns. */
const texts = ['example', 'a', 'v1', 'Example', '1', '1h', 'example.com', '10.0.0.1', '1Gi', '*'];

/** Texts of the formats that the API server checks. */
const textsOfFormats: Readonly<Record<string, string>> = {
  'date-time': '2026-01-01T00:00:00Z',
  date: '2026-01-01',
  duration: '1h',
  uri: 'https://example.com',
  email: 'me@example.com',
  ipv4: '10.0.0.1',
  ipv6: '::1',
  cidr: '10.0.0.0/8',
  hostname: 'example.com',
  uuid: '00000000-0000-4000-8000-000000000000',
  byte: '',
};

/**
 * Returns a spec with the required members of the schema of a kind, and asks a server in memory whether it accepts it. Throws
 * `SAMPLE_INVALID` with the reason of the server, for a rule that this sample does not satisfy.
 */
export async function sampleSpec(kind: ProjectKind): Promise<object> {
  const [version] = kind.versions;
  const properties = objectOf(version?.schema['properties']);
  const spec = sampleOf(objectOf(properties['spec'])) as object;
  await checkSample(kind, spec);
  return spec;
}

/** Throws `SAMPLE_INVALID` unless a server in memory accepts an object of the kind with this spec. */
export async function checkSample(kind: ProjectKind, spec: object): Promise<void> {
  await using server = await createApiServer();
  await using client = createClient({ cluster: server.cluster, fieldManager: 'keelson-add' });
  const definition = kind.crd as KubernetesObject;
  await installDefinitions(client, [definition], AbortSignal.timeout(30_000));
  const { group, plural, scope, versions } = kind;
  const [version] = versions;
  const resource = defineResource({
    group,
    plural,
    scope,
    kind: kind.kind,
    version: version?.name ?? '',
  });
  const namespace = scope === 'Namespaced' ? { namespace: 'default' } : {};
  const object = { metadata: { ...namespace, name: 'sample' }, spec } as KubernetesObject;
  try {
    await client.create(resource, object, { dryRun: true, fieldValidation: 'Strict' });
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    const facts = { kind: kind.kind, spec: JSON.stringify(spec), reason };
    throw new CliError('SAMPLE_INVALID', facts, { cause });
  }
}

function sampleOf(schema: JsonObject): unknown {
  const { default: given, enum: values, type, items } = schema;
  if (given !== undefined) return given;
  if (Array.isArray(values)) return values[0];
  switch (type) {
    case 'object':
      return sampleObject(schema);
    case 'array':
      return Array.from({ length: numberOf(schema['minItems'], 0) }, () =>
        sampleOf(objectOf(items)),
      );
    case 'integer':
    case 'number':
      return sampleNumber(schema);
    case 'boolean':
      return true;
    default:
      return sampleText(schema);
  }
}

function sampleObject({ properties, required }: JsonObject): unknown {
  const members = objectOf(properties);
  const names = Array.isArray(required) ? (required as readonly string[]) : [];
  return Object.fromEntries(names.map((name) => [name, sampleOf(objectOf(members[name]))]));
}

function sampleNumber({ minimum, maximum, exclusiveMinimum }: JsonObject): number {
  const least = numberOf(minimum, Number.NEGATIVE_INFINITY);
  const most = numberOf(maximum, Number.POSITIVE_INFINITY);
  const step = exclusiveMinimum === true ? 1 : 0;
  return Math.min(Math.max(1, least + step), most);
}

function sampleText({ format, pattern, minLength, maxLength }: JsonObject): string {
  const known = typeof format === 'string' ? textsOfFormats[format] : undefined;
  if (known !== undefined) return known;
  const least = numberOf(minLength, 0);
  const most = numberOf(maxLength, Number.POSITIVE_INFINITY);
  const matches = (text: string): boolean =>
    typeof pattern !== 'string' || matchesPattern(pattern, text);
  const fits = (text: string): boolean =>
    text.length >= least && text.length <= most && matches(text);
  return [...texts, 'a'.repeat(Math.min(least, 1000))].find(fits) ?? texts[0] ?? '';
}

/** The patterns of a definition are those of RE2, which JavaScript may not know. */
function matchesPattern(pattern: string, text: string): boolean {
  try {
    return new RegExp(pattern, 'u').test(text);
  } catch {
    return false;
  }
}

function objectOf(value: unknown): JsonObject {
  return isJsonObject(value) ? value : {};
}

function numberOf(value: unknown, fallback: number): number {
  return typeof value === 'number' ? value : fallback;
}
