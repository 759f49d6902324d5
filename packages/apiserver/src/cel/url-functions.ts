import type { Environment } from '@marcbachmann/cel-js';
import type { CelLibrary } from './cel-library.ts';

/** The `url` functions of kube-apiserver. A URL is absolute or begins with a slash. */
export function registerUrlFunctions(
  environment: Environment,
  { EvaluationError }: CelLibrary,
): void {
  environment
    .registerType('Url', Url)
    .registerFunction('isURL(string): bool', (text: string) => Url.parse(text) !== undefined)
    .registerFunction('url(string): Url', (text: string) => {
      const url = Url.parse(text);
      if (url !== undefined) return url;
      throw new EvaluationError(
        `URL parse error during conversion from string: parse ${JSON.stringify(text)}: invalid URI for request`,
      );
    })
    .registerFunction('Url.getScheme(): string', ({ parts }: Url) =>
      parts.protocol.replace(/:$/, ''),
    )
    .registerFunction('Url.getHost(): string', ({ parts }: Url) => parts.host)
    .registerFunction('Url.getHostname(): string', ({ parts }: Url) =>
      parts.hostname.replace(/^\[(.*)\]$/, '$1'),
    )
    .registerFunction('Url.getPort(): string', ({ parts }: Url) => parts.port)
    .registerFunction('Url.getEscapedPath(): string', ({ parts }: Url) => parts.pathname)
    .registerFunction('Url.getQuery(): map<string, list<string>>', ({ parts }: Url) => {
      const { searchParams } = parts;
      return new Map([...searchParams.keys()].map((key) => [key, [...searchParams.getAll(key)]]));
    });
}

type UrlParts = Pick<URL, 'protocol' | 'host' | 'hostname' | 'port' | 'pathname' | 'searchParams'>;

class Url {
  readonly parts: UrlParts;

  constructor(parts: UrlParts) {
    this.parts = parts;
  }

  static parse(text: string): Url | undefined {
    if (text.startsWith('/')) {
      const { pathname, searchParams } = new URL(text, 'http://relative');
      return new Url({ protocol: '', host: '', hostname: '', port: '', pathname, searchParams });
    }
    const address = /^([a-z][a-z\d+.-]*):\/\/([^/?#]*)([^?#]*)/i.exec(text);
    const parts = URL.parse(text);
    if (parts === null || address === null) return undefined;
    // The parser of the platform leaves default ports out and adds a path; Go keeps what was written.
    const [, , host = '', pathname = ''] = address;
    const port = /:(\d*)$/.exec(host)?.[1] ?? '';
    const { protocol, hostname, searchParams } = parts;
    return new Url({ protocol, host, hostname, port, pathname, searchParams });
  }
}
