import { protobufMediaType } from '../protobuf/decode-protobuf.ts';

/** The versions in which Tables and metadata are served. Their content is the same. */
export type MetaVersion = 'meta.k8s.io/v1' | 'meta.k8s.io/v1beta1';

/** The form in which a request accepts an object or a list, from the parameters `as`, `g` and `v`. */
export interface Projection {
  readonly kind: 'Table' | 'PartialObjectMetadata' | 'PartialObjectMetadataList';
  readonly apiVersion: MetaVersion;
}

/** A media type for the body of a response. */
export interface MediaType {
  readonly format: 'json' | 'yaml' | 'protobuf';
  readonly pretty: boolean;
  /** Absent for the object itself. */
  readonly as?: Projection;
}

const formats: Readonly<Record<string, MediaType['format']>> = {
  '*/*': 'json',
  'application/json': 'json',
  'application/yaml': 'yaml',
  [protobufMediaType]: 'protobuf',
};

const projectionKinds = ['Table', 'PartialObjectMetadata', 'PartialObjectMetadataList'] as const;
const metaVersions = ['meta.k8s.io/v1', 'meta.k8s.io/v1beta1'] as const;

/**
 * The first supported media type of an `Accept` header; `undefined` if none is supported. Ignores `q`, like
 * kube-apiserver. `hasProtobuf` is expensive, so it is called only if the header names protobuf. Without `hasTable` no
 * Table is chosen.
 */
export function negotiate(
  accept: string | undefined,
  hasProtobuf: () => boolean,
  hasTable: () => boolean = () => true,
): MediaType | undefined {
  if (accept === undefined || accept.trim() === '') return { format: 'json', pretty: false };
  for (const clause of accept.split(',')) {
    const mediaType = parseClause(clause);
    if (mediaType === undefined || (mediaType.as?.kind === 'Table' && !hasTable())) continue;
    if (mediaType.format !== 'protobuf' || isInProtobuf(mediaType, hasProtobuf)) return mediaType;
  }
  return undefined;
}

/** True if an `Accept` header names a supported media type, regardless of parameters. */
export function namesForm(accept: string): boolean {
  const types = accept.split(',').map((clause) => clause.split(';', 1)[0]?.trim() ?? '');
  return types.some((type) => Object.hasOwn(formats, type));
}

/** The metadata of every kind has a protobuf form, a Table has none. */
function isInProtobuf({ as }: MediaType, hasProtobuf: () => boolean): boolean {
  return as === undefined ? hasProtobuf() : as.kind !== 'Table';
}

function parseClause(clause: string): MediaType | undefined {
  const [type = '', ...rest] = clause.split(';').map((part) => part.trim());
  const format = Object.hasOwn(formats, type) ? formats[type] : undefined;
  if (format === undefined) return undefined;
  const parameters = new Map(rest.map((text) => splitOnce(text)));
  const pretty = parameters.get('pretty') === '1';
  if (!parameters.has('as')) return { format, pretty };
  const as = projectionOf(parameters);
  return as && { format, pretty, as };
}

function projectionOf(parameters: ReadonlyMap<string, string>): Projection | undefined {
  const version = `${parameters.get('g')}/${parameters.get('v')}`;
  const kind = projectionKinds.find((each) => each === parameters.get('as'));
  const apiVersion = metaVersions.find((each) => each === version);
  return kind && apiVersion && { kind, apiVersion };
}

function splitOnce(text: string): [string, string] {
  const at = text.indexOf('=');
  return at < 0 ? [text, ''] : [text.slice(0, at).trim(), text.slice(at + 1).trim()];
}

/**
 * The media type of a `Content-Type` header in lower case, without parameters. An invalid header is returned
 * unchanged.
 */
export function contentTypeOf(header = ''): string {
  return (contentType.exec(header)?.[1] ?? header).trim().toLowerCase();
}

const contentType = /^([^;]*)(?:;\s*[^\s;=]+=(?:"[^"]*"|[^\s;"]+)\s*)*;?\s*$/;
