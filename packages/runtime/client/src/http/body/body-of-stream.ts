import type { Readable } from 'node:stream';
import { ChunkQueue, type ChunkSource } from './chunk-queue.ts';

export interface StreamBodyOptions extends Partial<Pick<ChunkSource, 'pause' | 'resume'>> {
  /** Called when the stream has closed. Returns the error of a stream that ended although its data is not complete. */
  readonly errorAtEnd?: () => Error | undefined;
}

/** Reads a stream as a body. */
export function bodyOfStream(
  stream: Readable,
  {
    errorAtEnd,
    pause = () => void stream.pause(),
    resume = () => void stream.resume(),
  }: StreamBodyOptions = {},
): ChunkQueue {
  const queue = new ChunkQueue({ pause, resume, abort: () => void stream.destroy() });
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
