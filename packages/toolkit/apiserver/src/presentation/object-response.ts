import { apiVersionOf, type KubernetesObject } from '@keelson/apimachinery';
import { protobufMediaType } from '../protobuf/decode-protobuf.ts';
import { hasProtobuf, type Kinded, loadProtobufEncoder } from '../protobuf/protobuf-encoder.ts';
import type { ServedResource } from '../resources/served-resource.ts';
import { badRequest, failure, noSuchForm, notAcceptable } from '../status-errors/status-errors.ts';
import type { StoredObject } from '../storage/stored-object.ts';
import {
  builtinColumns,
  type IncludeObject,
  type Table,
  type TableColumns,
  tableOf,
  type TableOptions,
} from '../tables/table.ts';
import { respond } from '../http/response.ts';
import type { ApiRequest } from '../http/api-request.ts';
import { compressed } from '../http/compression.ts';
import { type MediaType, namesForm, negotiate } from '../http/media-type.ts';
import { partialOf, withoutShards } from './presentation.ts';
import { yamlText, yamlType } from '../http/yaml-text.ts';
import { jsonText } from '@keelson/structural-schema';

/** Chooses the form in which the request accepts an object. Throws 406 if the server supports none of them. */
export function mediaTypeOf(request: ApiRequest, object: Kinded): MediaType {
  const { accept = '' } = request.headers;
  const mediaType = negotiate(
    accept,
    () => hasProtobuf(object),
    () => hasTable(object),
  );
  if (mediaType !== undefined) {
    return mediaType.pretty || !isPretty(request) ? mediaType : { ...mediaType, pretty: true };
  }
  // The router checks the media type alone. Custom resources have no protobuf, so they are checked here.
  if (namesForm(accept) || !hasProtobuf(object)) throw notAcceptable();
  const { info } = request;
  throw noSuchForm(info.type === 'resource' && (info.verb === 'list' || info.verb === 'watch'));
}

/**
 * True if JSON is to be indented: by the parameter `pretty`, else for the programs with which people read responses. Source:
 * `isPrettyPrint` in `pkg/endpoints/handlers/negotiation/negotiate.go`.
 */
function isPretty({ query, headers }: ApiRequest): boolean {
  const given = query.get('pretty') ?? '';
  if (given !== '') return /^(?:1|t|T|true|TRUE|True)$/.test(given);
  return /^(?:curl|Wget|Mozilla\/5\.0)/.test(headers['user-agent'] ?? '');
}

/** Returns the apiVersion and kind of the objects of a resource, or of the bodies of its subresource. */
export function kindOf(resource: ServedResource, subresource = ''): Kinded {
  const part = subresource === '' ? undefined : resource.subresource(subresource);
  if (part !== undefined) return { apiVersion: apiVersionOf(part), kind: part.kind };
  return { apiVersion: resource.apiVersion, kind: resource.facts.kind };
}

/** Kinds that the server computes and does not store have no Table, except Scale. */
function hasTable({ apiVersion = '', kind = '' }: Kinded): boolean {
  return !(kind.endsWith('Review') || tableless.has(`${apiVersion} ${kind}`));
}

const tableless: ReadonlySet<string> = new Set([
  'authentication.k8s.io/v1 TokenRequest',
  'policy/v1 Eviction',
  'v1 Binding',
]);

/** Responds with an object that is computed and not stored, or with its metadata. Without a Table: that is refused before. */
export async function sendReview(
  request: ApiRequest,
  code: number,
  object: Kinded & { readonly metadata?: object },
  mediaType: MediaType = mediaTypeOf(request, object),
): Promise<void> {
  const { as } = mediaType;
  switch (as?.kind) {
    case 'PartialObjectMetadata':
      return sendValue(request, code, partialOf(as.apiVersion, object.metadata ?? {}), mediaType);
    case 'PartialObjectMetadataList':
      throw mismatch('PartialObjectMetadataList', `not a list (${goName(object)})`);
    default:
      return sendValue(request, code, object, mediaType);
  }
}

/** Responds with one stored object in the form that the request accepts. */
export async function sendObject(
  request: ApiRequest,
  resource: ServedResource,
  stored: StoredObject,
  code = 200,
): Promise<void> {
  const mediaType = mediaTypeOf(request, kindOf(resource));
  await resource.prepare(stored);
  const isPlain = mediaType.as === undefined && !mediaType.pretty;
  if (isPlain && mediaType.format === 'json') {
    send(request, code, resource.line(stored));
    return;
  }
  await sendValue(request, code, projected(request, resource, stored, mediaType), mediaType);
}

/** Responds with any object in the given form. */
export async function sendValue(
  request: ApiRequest,
  code: number,
  value: Kinded,
  mediaType: MediaType = mediaTypeOf(request, value),
): Promise<void> {
  if (mediaType.format === 'protobuf') {
    const encoder = await loadProtobufEncoder();
    send(request, code, encoder.object(value), protobufMediaType);
  } else if (mediaType.format === 'json') {
    send(request, code, `${jsonText(value, mediaType.pretty ? 2 : 0)}\n`);
  } else send(request, code, await yamlText(value), yamlType);
}

/** Responds with an object that is computed for the response and not stored, such as a Scale. */
export async function sendComputed(
  request: ApiRequest,
  code: number,
  object: KubernetesObject,
  columns: TableColumns,
): Promise<void> {
  const mediaType = mediaTypeOf(request, object);
  if (mediaType.as?.kind !== 'Table') return sendReview(request, code, object, mediaType);
  const { resourceVersion = '' } = object.metadata ?? {};
  const table = tableOf({
    apiVersion: mediaType.as.apiVersion,
    columns,
    objects: [{ ...object }],
    metadata: { resourceVersion },
    includeObject: includeObject(request.query),
    now: request.now,
  });
  return sendValue(request, code, table, mediaType);
}

/** Builds a Table from objects of one resource. */
export function tableFor(
  request: ApiRequest,
  resource: ServedResource,
  objects: readonly StoredObject[],
  options: Pick<TableOptions, 'apiVersion' | 'metadata' | 'withDefinitions'>,
): Table {
  return tableOf({
    columns: resource.facts.columns ?? builtinColumns(resource.id),
    objects: objects.map((stored) => resource.read(stored)),
    includeObject: includeObject(request.query),
    now: request.now,
    ...options,
    metadata: withoutShards(options.metadata),
  });
}

function projected(
  request: ApiRequest,
  resource: ServedResource,
  stored: StoredObject,
  { as }: MediaType,
): Kinded {
  switch (as?.kind) {
    case undefined:
      return resource.read(stored);
    case 'Table': {
      const { resourceVersion = '' } = stored.metadata;
      const { apiVersion } = as;
      // A dry run gives no version to a new object.
      const metadata = resourceVersion === '' ? {} : { resourceVersion };
      return tableFor(request, resource, [stored], { apiVersion, metadata });
    }
    case 'PartialObjectMetadata':
      return partialOf(as.apiVersion, stored.parse().metadata);
    default:
      throw mismatch('PartialObjectMetadataList', `not a list (${goType(resource)})`);
  }
}

/** The Go type by which kube-apiserver names an object in a refusal. */
export function goType({ facts }: ServedResource, suffix: '' | 'List' = ''): string {
  if (facts.custom) return `*unstructured.Unstructured${suffix}`;
  return goName({ apiVersion: apiVersionOf(facts), kind: `${facts.kind}${suffix}` });
}

function goName({ apiVersion = '', kind = '' }: Kinded): string {
  const [group = ''] = apiVersion.includes('/') ? apiVersion.split(/[./]/, 1) : ['core'];
  return `*${group}.${kind}`;
}

/** The error for a request that wants a list and gets an object, or the reverse. */
export function mismatch(wanted: string, found: string): Error {
  return failure(
    406,
    'NotAcceptable',
    `you requested ${wanted}, but the requested object is ${found}`,
  );
}

function includeObject(query: URLSearchParams): IncludeObject {
  const value = query.get('includeObject') ?? '';
  if (value === '') return 'Metadata';
  if (value === 'None' || value === 'Object' || value === 'Metadata') return value;
  throw badRequest(
    `Unable to convert to Table as requested: includeObject: Invalid value: ${JSON.stringify(value)}: must be 'Metadata', 'Object', 'None', or empty`,
  );
}

/** Responds with bytes of any content type. A long body is compressed if the client accepts gzip. */
export function send(
  request: ApiRequest,
  code: number,
  text: Buffer | string,
  contentType = 'application/json',
): void {
  const { response, warnings } = request;
  const { body, headers } = compressed(request.headers, text);
  respond(response, code, body, { contentType, warnings, headers });
}
