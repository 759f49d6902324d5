import type { ClientHttp2Stream } from 'node:http2';
import { bodyOfStream } from '../body/body-of-stream.ts';
import type { ResponseBody } from '../body/response-body.ts';

const NOTHING: Buffer = Buffer.alloc(0);

/**
 * Reads the response of a stream as a body. `errorAtEnd` is called when the stream has closed, and returns the error of
 * a stream that ended although its data is not complete.
 *
 * Node.js passes each chunk to the method `push` of the stream. The body takes it there: the buffer of a Readable and
 * its event `data` took a third of the processor time of reading a response, because kube-apiserver sends 4 KB in a
 * chunk. Chunks that arrived before this call are in that buffer, and come first.
 */
export function bodyOfHttp2Stream(
  stream: ClientHttp2Stream,
  errorAtEnd: () => Error | undefined,
): ResponseBody {
  const push = stream.push.bind(stream);
  let isPaused = false;
  const body = bodyOfStream(stream, {
    errorAtEnd,
    pause: () => {
      isPaused = true;
    },
    resume: () => {
      isPaused = false;
      // For the stream its last read has not ended yet. An empty chunk ends it, so that the next one begins.
      push(NOTHING);
    },
  });
  stream.push = (chunk: Uint8Array | null) => {
    if (chunk === null || chunk.length === 0 || stream.readableLength > 0) return push(chunk);
    body.push(chunk);
    // After `false` Node.js stops reading.
    return !isPaused;
  };
  return body;
}
