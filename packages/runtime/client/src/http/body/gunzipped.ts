import { pipeline } from 'node:stream';
import { chunksOf, type ResponseBody } from './response-body.ts';
import { bodyOfStream } from './body-of-stream.ts';

/**
 * Chunk size of decompression: four times the default of zlib, because each chunk costs a thread round trip.
 */
const UNZIPPED_CHUNK_BYTES = 64 * 1024;

/** Decompresses a body. Destroying the result destroys the body, and an error of the body is an error of the result. */
export function gunzipped(body: ResponseBody): ResponseBody {
  const { createGunzip } = process.getBuiltinModule('node:zlib');
  const gunzip = createGunzip({ chunkSize: UNZIPPED_CHUNK_BYTES });
  const unzipped = bodyOfStream(gunzip);
  gunzip.once('close', () => body.destroy());
  // The reader of the result receives an error of the pipeline, so the callback ignores it.
  pipeline(chunksOf(body), gunzip, () => undefined);
  return unzipped;
}
