import { subscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';

/** The open connections of this process. */
export function openSockets(): number {
  return process.getActiveResourcesInfo().filter((name) => name === 'TCPSocketWrap').length;
}

/** Returns a function that returns the bytes which plain connections have received from now on. */
export function countReceivedBytes(): () => number {
  const sockets: Socket[] = [];
  subscribe('net.client.socket', (message) => {
    sockets.push((message as { socket: Socket }).socket);
  });
  return () => sockets.reduce((sum, { bytesRead }) => sum + bytesRead, 0);
}
