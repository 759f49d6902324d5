import type { ServerResponse } from 'node:http';
import { constants } from 'node:http2';
import { TLSSocket } from 'node:tls';
import { Http2Response } from './http2-messages.ts';

/**
 * Breaks off a response. Over HTTP/2 that resets its stream, and other requests on the connection continue. Over
 * HTTP/1.1 it breaks the connection: plain TCP is reset, and TLS is closed without a closing alert, since Node.js
 * cannot reset it.
 */
export function breakResponse(response: ServerResponse): void {
  if (isHttp2(response)) {
    response.stream.close(constants.NGHTTP2_INTERNAL_ERROR);
    return;
  }
  const { socket } = response;
  if (socket === null) return;
  // libuv refuses to reset a connection whose end is on its way, and Node.js then leaves it open, which keeps the process alive.
  if (socket instanceof TLSSocket || socket.writableEnded) socket.destroy();
  else socket.resetAndDestroy();
}

function isHttp2(response: object): response is Http2Response {
  return response instanceof Http2Response;
}
