import { loadProtobufFormats } from '@keelson/wire';

/** The text of an error response, and its media type. */
export interface ErrorBody {
  readonly contentType: string;
  readonly text: string;
}

/** Returns the body of an error response as text. A Status in protobuf becomes JSON; other protobuf has no text. */
export async function errorBodyOf(contentType: string, bytes: Buffer): Promise<ErrorBody> {
  if (!contentType.startsWith('application/vnd.kubernetes.protobuf')) {
    return { contentType, text: bytes.toString('utf8') };
  }
  const format = (await loadProtobufFormats()).find('v1', 'Status');
  try {
    const status = format?.decode(bytes, 0, bytes.length);
    return { contentType: 'application/json', text: JSON.stringify(status) };
  } catch {
    return { contentType, text: '' };
  }
}
