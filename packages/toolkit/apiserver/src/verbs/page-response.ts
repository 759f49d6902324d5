import type { ApiRequest } from '../http/api-request.ts';
import { acceptsGzip } from '../http/compression.ts';
import type { MediaType } from '../http/media-type.ts';
import {
  sendValue,
  goType,
  kindOf,
  mediaTypeOf,
  mismatch,
  send,
  tableFor,
} from '../presentation/object-response.ts';
import { partialObjects, type Presentation, wholeObjects } from '../presentation/presentation.ts';
import { protobufMediaType } from '../protobuf/decode-protobuf.ts';
import type { Kinded } from '../protobuf/protobuf-encoder.ts';
import type { ServedResource } from '../resources/served-resource.ts';
import { sendList } from './list-response.ts';
import type { ListPage } from './list-page.ts';
import type { ResourceForms } from './resource-forms.ts';
import { parseExact } from '@keelson/structural-schema';

export interface PageResponseOptions {
  readonly mediaType: MediaType;
  readonly forms: ResourceForms;
  /** Awaited before every write, to slow down the list. */
  pace?(): Promise<void>;
}

/** Chooses the form in which the request accepts a list. Throws 406 if the server supports none of them. */
export function listMediaType(request: ApiRequest, resource: ServedResource): MediaType {
  const mediaType = mediaTypeOf(request, kindOf(resource));
  if (mediaType.as?.kind === 'PartialObjectMetadata') {
    throw mismatch(mediaType.as.kind, `a list (${goType(resource, 'List')})`);
  }
  return mediaType;
}

/** Responds with a page of objects in the form that the request accepts. */
export async function sendPage(
  request: ApiRequest,
  resource: ServedResource,
  page: ListPage,
  options: PageResponseOptions,
): Promise<void> {
  const { mediaType, forms, ...pacing } = options;
  const isPretty = mediaType.pretty && mediaType.format === 'json';
  if (mediaType.as?.kind === 'Table' || mediaType.format === 'yaml' || isPretty) {
    await sendValue(request, 200, listValue(request, resource, page, mediaType), mediaType);
    return;
  }
  if (mediaType.format === 'protobuf') {
    const presentation = await forms.protobuf(mediaType.as?.apiVersion);
    await pacing.pace?.();
    send(request, 200, presentation.list(page.metadata, page.objects), protobufMediaType);
    return;
  }
  const presentation = presentationOf(resource, mediaType);
  const encoding = { acceptsGzip: acceptsGzip(request.headers), ...pacing };
  await sendList(request.response, presentation, page, encoding);
}

function listValue(
  request: ApiRequest,
  resource: ServedResource,
  page: ListPage,
  mediaType: MediaType,
): Kinded {
  const { as } = mediaType;
  if (as?.kind === 'Table') {
    const { apiVersion } = as;
    return tableFor(request, resource, page.objects, { apiVersion, metadata: page.metadata });
  }
  const presentation = presentationOf(resource, mediaType);
  const [head, tail] = presentation.list(page.metadata);
  const items = page.objects.map((stored) => presentation.item(stored).toString());
  return parseExact(`${head}${items.join(',')}${tail}`) as Kinded;
}

function presentationOf(resource: ServedResource, { as }: MediaType): Presentation {
  return as === undefined ? wholeObjects(resource) : partialObjects(as.apiVersion);
}
