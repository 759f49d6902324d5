import type { Readable } from 'node:stream';
import { ChunkQueue } from './chunk-queue.ts';
import type { ResponseBody } from './response-body.ts';

/**
 * Reads a stream as a body. `errorAtEnd` is called when the stream has closed, and returns the error of a stream that
 * ended although its data is not complete.
 */
export function bodyOfStream(stream: Readable, errorAtEnd?: () => Error | undefined): ResponseBody {
  const queue = new ChunkQueue({
    pause: () => void stream.pause(),
    resume: () => void stream.resume(),
    abort: () => void stream.destroy(),
  });
  stream.on('data', (chunk: Uint8Array) => queue.push(chunk));
  stream.on('error', (error: Error) => queue.fail(error));
  stream.once('close', () => {
    const error = stream.readableEnded ? errorAtEnd?.() : closedEarly();
    if (error === undefined) queue.end();
    else queue.fail(error);
  });
  return queue;
}

function closedEarly(): Error {
  return Object.assign(new Error('the stream closed before its end'), {
    code: 'ERR_STREAM_PREMATURE_CLOSE',
  });
}
