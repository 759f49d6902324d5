/** A value that the typed server cannot decode, with the message of Go's decoder. */
export class DecodeError extends Error {
  override readonly name: string = 'DecodeError';
  /** The message of Go's converter, which decodes the results of strategic patches and applies. */
  readonly converted: string;

  constructor(message: string, converted: string = message) {
    super(message);
    this.converted = converted;
  }
}
