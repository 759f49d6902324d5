import { PassThrough } from 'node:stream';
import { Terminal, type OutputStream } from './terminal.ts';

/** The properties of a stream that decide about colours. */
export interface Colours {
  readonly isTTY?: boolean;
  readonly hasColors?: boolean;
}

/** A terminal that keeps the text of its two streams. */
export function recordingTerminal(colours: Colours = {}): {
  readonly terminal: Terminal;
  readonly out: () => string;
  readonly err: () => string;
} {
  const out = recorder(colours);
  const err = recorder(colours);
  return { terminal: new Terminal(out.stream, err.stream), out: out.text, err: err.text };
}

function recorder({ isTTY = false, hasColors = isTTY }: Colours): {
  readonly stream: OutputStream;
  readonly text: () => string;
} {
  const chunks: string[] = [];
  const stream = new PassThrough();
  stream.on('data', (chunk: Buffer) => chunks.push(chunk.toString()));
  return {
    stream: Object.assign(stream, { isTTY, hasColors: () => hasColors }),
    text: () => chunks.join(''),
  };
}
