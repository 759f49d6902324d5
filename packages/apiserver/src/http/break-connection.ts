import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';

/** Breaks a connection. Plain TCP is reset; TLS is closed without a closing alert, since Node.js cannot reset it. */
export function breakConnection(socket: Socket | null): void {
  if (socket instanceof TLSSocket) socket.destroy();
  else socket?.resetAndDestroy();
}
