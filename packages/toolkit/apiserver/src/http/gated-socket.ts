import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';

type Done = (error?: Error | null) => void;

/**
 * The bytes of a TLS connection. They can be lost while the connection stays open, as if the peer had vanished behind a
 * load balancer. Below TLS, because HTTP/2 acknowledges PINGs in code that no JavaScript can stop.
 */
export class GatedSocket extends Duplex {
  readonly #socket: Socket;
  #isSilent = false;

  constructor(socket: Socket) {
    super();
    this.#socket = socket;
    socket.on('data', (bytes: Buffer) => {
      if (!this.#isSilent && !this.push(bytes)) socket.pause();
    });
    socket.on('end', () => this.push(null));
    socket.on('error', (error) => this.destroy(error));
    socket.on('close', () => this.destroy());
  }

  /** From now on no byte passes in either direction. */
  silence(): void {
    this.#isSilent = true;
    // Later bytes are read and dropped, so that TCP acknowledges them.
    this.#socket.resume();
  }

  override _read(): void {
    this.#socket.resume();
  }

  override _write(bytes: Buffer, _encoding: BufferEncoding, done: Done): void {
    this.#send(bytes, done);
  }

  override _writev(chunks: { readonly chunk: Buffer }[], done: Done): void {
    this.#send(Buffer.concat(chunks.map(({ chunk }) => chunk)), done);
  }

  override _final(done: Done): void {
    if (this.#isSilent) done();
    else this.#socket.end(done);
  }

  override _destroy(error: Error | null, done: Done): void {
    if (!this.#isSilent) this.#socket.destroy();
    done(error);
  }

  #send(bytes: Buffer, done: Done): void {
    if (this.#isSilent) done();
    else this.#socket.write(bytes, done);
  }
}
