import { loadOnce } from '@keelson/apimachinery';
import { ProtobufFormats } from './protobuf-formats.ts';

/**
 * Loads the table of the built-in kinds, about 40 KB, and returns their formats. Later calls return the same formats.
 */
export const loadProtobufFormats: () => Promise<ProtobufFormats> = loadOnce(async () => {
  const { kindTableText } = await import('./kind-table-text.ts');
  return new ProtobufFormats(kindTableText);
});
