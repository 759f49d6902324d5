interface DecodeErrorOptions {
  /** The message of Go's converter, which decodes the results of strategic patches and applies. Default: the message. */
  readonly converted?: string;
  /** True if Go's decoder stops here. After other errors it continues, and reports the first of them at the end. */
  readonly endsDecoder?: boolean;
}

/** A value that the typed server cannot decode, with the message of Go's decoder. */
export class DecodeError extends Error {
  override readonly name: string = 'DecodeError';
  readonly converted: string;
  readonly endsDecoder: boolean;

  constructor(message: string, options: DecodeErrorOptions = {}) {
    super(message);
    this.converted = options.converted ?? message;
    this.endsDecoder = options.endsDecoder ?? false;
  }
}
