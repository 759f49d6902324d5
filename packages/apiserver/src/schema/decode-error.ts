/** A value that the typed server cannot read; the message is the one of Go's decoder. */
export class DecodeError extends Error {
  override readonly name: string = 'DecodeError';
  /** The words of the converter that reads what a strategic patch or an apply made. */
  readonly converted: string;

  constructor(message: string, converted: string = message) {
    super(message);
    this.converted = converted;
  }
}
