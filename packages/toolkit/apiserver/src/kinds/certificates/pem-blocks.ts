/** One block of a PEM text. */
export interface PemBlock {
  /** The words of its first line: `CERTIFICATE REQUEST`. */
  readonly type: string;
  readonly hasHeaders: boolean;
  readonly bytes: Buffer;
}

const blockSyntax = /^-----BEGIN ([^\r\n]*?)-----[ \t\r]*\n([\s\S]*?)^-----END \1-----/gm;

/** Returns the blocks of a PEM text, in order. Text around them is ignored. */
export function pemBlocks(text: string): PemBlock[] {
  return [...text.matchAll(blockSyntax)].map(([, type = '', body = '']) => {
    const lines = body.split('\n');
    const headers = lines.filter((line) => line.includes(':'));
    const base64 = lines.filter((line) => !line.includes(':')).join('');
    return { type, hasHeaders: headers.length > 0, bytes: Buffer.from(base64, 'base64') };
  });
}
