import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';

/** Breaks a connection under its client. Node resets plain TCP only; TLS ends without its farewell. */
export function breakConnection(socket: Socket | null): void {
  if (socket instanceof TLSSocket) socket.destroy();
  else socket?.resetAndDestroy();
}
