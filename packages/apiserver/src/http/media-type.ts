import { protobufMediaType } from '../protobuf/decode-protobuf.ts';

/** A form in which an object can be answered. */
export interface MediaType {
  readonly format: 'json' | 'yaml' | 'protobuf';
  readonly pretty: boolean;
  /** The kind asked for by `as=`, where the server knows how to make it. */
  readonly as?: 'Table' | 'PartialObjectMetadata' | 'PartialObjectMetadataList';
}

const formats: Readonly<Record<string, MediaType['format']>> = {
  '*/*': 'json',
  'application/json': 'json',
  'application/yaml': 'yaml',
  [protobufMediaType]: 'protobuf',
};

const projections: ReadonlySet<string> = new Set([
  'Table',
  'PartialObjectMetadata',
  'PartialObjectMetadataList',
]);

/**
 * The first media type of an `Accept` header that the server can make; `undefined` if there is none.
 * kube-apiserver too goes by the order and ignores `q`. Not everything can be made in protobuf, and
 * looking whether it can costs something: that is asked for only where a client wants it.
 */
export function negotiate(
  accept: string | undefined,
  hasProtobuf: () => boolean,
): MediaType | undefined {
  if (accept === undefined || accept.trim() === '') return { format: 'json', pretty: false };
  for (const clause of accept.split(',')) {
    const mediaType = parseClause(clause);
    if (mediaType === undefined) continue;
    if (mediaType.format !== 'protobuf' || isInProtobuf(mediaType, hasProtobuf)) return mediaType;
  }
  return undefined;
}

/** Whether an `Accept` header names a media type that the server makes, whatever its parameters ask for. */
export function namesForm(accept: string): boolean {
  const types = accept.split(',').map((clause) => clause.split(';', 1)[0]?.trim() ?? '');
  return types.some((type) => Object.hasOwn(formats, type));
}

/** The metadata of every kind can be; a Table cannot. */
function isInProtobuf({ as }: MediaType, hasProtobuf: () => boolean): boolean {
  return as === undefined ? hasProtobuf() : as !== 'Table';
}

function parseClause(clause: string): MediaType | undefined {
  const [type = '', ...rest] = clause.split(';').map((part) => part.trim());
  const format = Object.hasOwn(formats, type) ? formats[type] : undefined;
  if (format === undefined) return undefined;
  const parameters = new Map(rest.map((text) => splitOnce(text)));
  const pretty = parameters.get('pretty') === '1';
  const as = parameters.get('as');
  if (as === undefined) return { format, pretty };
  const known = parameters.get('g') === 'meta.k8s.io' && parameters.get('v') === 'v1';
  if (!known || !projections.has(as)) return undefined;
  return { format, pretty, as: as as NonNullable<MediaType['as']> };
}

function splitOnce(text: string): [string, string] {
  const at = text.indexOf('=');
  return at < 0 ? [text, ''] : [text.slice(0, at).trim(), text.slice(at + 1).trim()];
}

/** The media type of a `Content-Type` header, in lower case and without parameters; a broken header is its own type. */
export function contentTypeOf(header = ''): string {
  return (contentType.exec(header)?.[1] ?? header).trim().toLowerCase();
}

const contentType = /^([^;]*)(?:;\s*[^\s;=]+=(?:"[^"]*"|[^\s;"]+)\s*)*;?\s*$/;
