/** A value that the typed server cannot read; the message is the one of Go's decoder. */
export class DecodeError extends Error {
  override readonly name: string = 'DecodeError';
}
